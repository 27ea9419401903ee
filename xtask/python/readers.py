"""Compares the readers of enclust with pandas, NumPy and SciPy.

    readers.py DUMP_POOLS --damaged 5000 --seed 1

DUMP_POOLS is the example program of that name of the crate enclust-io. The first part writes
files with pandas, NumPy and SciPy and compares what is read with what was written and with
what pandas reads. The second part damages text files: whatever enclust accepts must have the
shape and the content that pandas reads with the same separator and header.

The exit code is 1 if anything differs.
"""

import argparse
import csv
import gzip
import io
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.io

SIGNS = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " "}
# pandas has its own list, which these two are added to.
ALSO_MISSING = ["na", "?"]
MARKS = set(ALSO_MISSING) | {
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
}
# What enclust removes around a cell: the white space of Unicode.
BLANKS = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-](inf|infinity|nan)", re.I | re.A)


def read_by_enclust(program, requests):
    """Reads all files in one process."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run([program], input=lines, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"dump_pools failed: {done.stderr}")
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def cleaned(value):
    """A cell of pandas as enclust shows it."""
    if not isinstance(value, str):
        return None
    value = value.strip(BLANKS)
    return None if value in MARKS else value


def read_csv(data, separator, **options):
    sign = SIGNS.get(separator, separator)
    return pd.read_csv(
        io.BytesIO(data), sep=r"\s+" if sign == " " else sign, dtype=str, **options
    )


def read_by_pandas(data, separator, header):
    options = {"header": 0 if header else None, "na_values": ALSO_MISSING}
    frame = read_csv(data, separator, **options)
    # If the header lacks a cell, pandas takes the first column as the index.
    return frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()


def names_by_pandas(data, separator):
    """The first line. As a header, pandas would change names that are empty or occur twice."""
    first = read_csv(data, separator, header=None, nrows=1, keep_default_na=False)
    return [str(name).strip(BLANKS) for name in first.iloc[0]]


def numbered(cells):
    """The labels of a column, numbered by first occurrence; numbers are compared as numbers."""
    present = [cell for cell in cells if cell is not None]
    numeric = all(NUMBER.fullmatch(cell) for cell in present)
    seen, labels = {}, []
    for cell in cells:
        key = cell
        if cell is not None and numeric:
            key = int(cell) if re.fullmatch(r"[+-]?\d+", cell, re.A) else float(cell)
            key = None if key != key else key
        labels.append(None if key is None else seen.setdefault(key, len(seen)))
    return labels


def difference(found, frame, data):
    """What differs between the answer of enclust and a table of pandas, or None."""
    rows = [[cleaned(cell) for cell in row] for row in frame.itertuples(index=False, name=None)]
    if found["id_column"]:
        if [row[0] for row in rows] != found["ids"]:
            return "ids"
        rows = [row[1:] for row in rows]
    if found["header"]:
        # The name of the ids may be missing, as in files of R.
        names = names_by_pandas(data, found["separator"])[-len(found["names"]) :]
        if names != found["names"]:
            return f"names: {found['names']} and {names}"
    if rows != found["rows"]:
        return f"cells: {len(found['rows'])} and {len(rows)} rows"
    if [numbered(column) for column in zip(*rows)] != found["labels"]:
        return "labels"
    return None


def written_tables(chance):
    """Tables of pandas in all text layouts: name, bytes and what is true of them."""
    for name, sign in SIGNS.items():
        for end in ["\n", "\r\n", "\r"]:
            for quoting in [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]:
                for header in [True, False]:
                    for index in [True, False]:
                        rows = chance.randrange(3, 40)
                        frame = pd.DataFrame({
                            "km": [chance.choice([1, 2, 30]) for _ in range(rows)],
                            "ward": pd.Categorical(chance.choices(["a b", "c,d", 'e"f'], k=rows)),
                            "db": [chance.choice([1.0, 2.0, np.nan]) for _ in range(rows)],
                            "text": [chance.choice(["x;y", "ü", None, "z"]) for _ in range(rows)],
                        })
                        frame.index = [f"s{row}" for row in range(rows)]
                        text = frame.to_csv(
                            sep=sign, header=header, index=index, quoting=quoting,
                            lineterminator=end, na_rep=chance.choice(["NA", "None", "<NA>", "?"]),
                        )
                        yield text.encode(), {
                            "separator": name, "header": header, "id_column": index,
                        }


def check_text(program, folder, chance):
    """Every table is read as stated; detected, it is the same or an error that asks."""
    requests, files = [], []
    for at, (data, truth) in enumerate(written_tables(chance)):
        path = folder / f"table{at}.csv"
        path.write_bytes(data)
        (folder / f"table{at}.csv.gz").write_bytes(gzip.compress(data))
        for request in [truth, {}, truth | {"gz": True}]:
            name = f"{path}.gz" if request.pop("gz", False) else str(path)
            requests.append({"path": name} | request)
            files.append((data, truth))
    wrong, asked = [], 0
    for request, (data, truth), found in zip(requests, files, read_by_enclust(program, requests)):
        if "error" in found:
            if "header" not in request and "--" in found["error"]:
                asked += 1
            else:
                wrong.append((request, found["error"]))
            continue
        if any(found[key] != truth[key] for key in truth):
            wrong.append((request, "the layout is not that of the file"))
            continue
        problem = difference(
            found, read_by_pandas(data, truth["separator"], truth["header"]), data
        )
        if problem:
            wrong.append((request, problem))
    print(f"text: {len(requests)} readings, {asked} ask for an option, {len(wrong)} differ")
    return wrong


def written_arrays(folder, chance):
    """Arrays of all types: path and what NumPy or SciPy read from it."""
    generator = np.random.default_rng(chance.randrange(1 << 30))
    types = [f"{order}{kind}{width}" for order in "<>" for kind in "iu" for width in [1, 2, 4, 8]]
    types += ["<f2", "<f4", ">f8", "?", "<U3", "S3"]
    for dtype in types:
        for fortran in [False, True]:
            values = generator.integers(0, 100, size=(7, 3))
            values = values % 2 if dtype == "?" else values
            array = values.astype(dtype, order="F" if fortran else "C")
            stem = folder / f"array{dtype.replace('<', 'l').replace('>', 'b')}{fortran}"
            path = f"{stem}.npy"
            np.save(path, array)
            yield path, np.load(path)
            for save, name in [(np.savez, "plain"), (np.savez_compressed, "packed")]:
                path = f"{stem}{name}.npz"
                save(path, whatever=array)
                yield path, np.load(path)["whatever"]
            if array.dtype.kind in "iuf" and dtype != "<f2":
                for packed in [False, True]:
                    path = f"{stem}{packed}.mat"
                    members = array.astype(array.dtype.newbyteorder("="))
                    others = {"other": np.zeros((50, 50)), "members": members}
                    scipy.io.savemat(path, others, do_compression=packed)
                    yield path, scipy.io.loadmat(path)["members"]
    for dtype in ["<f4", "<f8"]:
        array = generator.integers(0, 4, size=(9, 2)).astype(dtype)
        array[3, 1] = np.nan
        path = f"{folder / dtype[1:]}-missing.npy"
        np.save(path, array)
        yield path, array
        path = f"{folder / dtype[1:]}-missing.mat"
        scipy.io.savemat(path, {"members": array}, do_compression=True)
        yield path, scipy.io.loadmat(path)["members"]


def as_text(value):
    """A value of an array as enclust shows it."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, float):
        return None if value != value else str(int(value))
    return str(value)


def check_arrays(program, folder, chance):
    expected = list(written_arrays(folder, chance))
    found = read_by_enclust(program, [{"path": path} for path, _ in expected])
    wrong = []
    for (path, array), answer in zip(expected, found):
        rows = [[as_text(value) for value in row] for row in array.tolist()]
        if answer.get("rows") != rows:
            wrong.append((path, answer.get("error", "cells")))
    print(f"arrays: {len(expected)} files, {len(wrong)} differ")
    return wrong


def whole_table(chance):
    """A small text file, and what is true of it."""
    name = chance.choice(list(SIGNS))
    rows, columns = chance.randrange(1, 30), chance.randrange(1, 6)
    header, ids = chance.random() < 0.5, chance.random() < 0.5
    lines = []
    if header:
        lines.append(["id"] * ids + [f"c{k}" for k in range(columns)])

    def cell():
        drawn = chance.randrange(40)
        if drawn < 4:
            return ["NA", '"b, c"', '"say ""x"""', "T-cell"][drawn]
        return str(drawn % 6)

    for row in range(rows):
        lines.append([f"s{row}"] * ids + [cell() for _ in range(columns)])
    end = chance.choice(["\n", "\r\n", "\r"])
    text = end.join(SIGNS[name].join(line) for line in lines) + chance.choice(["", end])
    stated = {"separator": name, "header": header, "id_column": ids and columns > 0}
    return bytearray(text.encode()), stated


def damage(data, chance):
    """One to three changes."""
    words = [b'"', b'""', b",", b";", b"\t", b" ", b"\n", b"\r", b"\r\n", b"NA", b"\0", b"x", b"\xc3"]
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(5)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del data[at : at + chance.randrange(1, 8)]
        elif kind == 2:
            del data[at:]
        elif kind == 3:
            data[at:at] = data[at : at + chance.randrange(12)]
        else:
            data[at:at] = chance.choice(words)
    return bytes(data)


def check_damaged(program, folder, chance, count):
    requests, files = [], []
    for at in range(count):
        data, truth = whole_table(chance)
        data = damage(data, chance)
        path = folder / f"damaged{at}.csv"
        path.write_bytes(data)
        stated = [{}, {"header": truth["header"]}, truth][chance.randrange(3)]
        requests.append({"path": str(path)} | stated)
        files.append((data, truth))
    tally = dict(accepted=0, refused=0, refused_by_both=0)
    wrong = []
    for request, (data, truth), found in zip(requests, files, read_by_enclust(program, requests)):
        layout = truth if "error" in found else found
        try:
            frame = read_by_pandas(data, layout["separator"], layout["header"])
        except (ValueError, pd.errors.ParserError) as error:
            frame = error
        if "error" in found:
            tally["refused_by_both" if isinstance(frame, Exception) else "refused"] += 1
            continue
        tally["accepted"] += 1
        refused = isinstance(frame, Exception)
        problem = f"pandas: {frame}" if refused else difference(found, frame, data)
        if problem:
            wrong.append((request, problem, data))
    print(
        f"damaged: {count} files, {tally['accepted']} accepted, {tally['refused']} refused by "
        f"enclust alone, {tally['refused_by_both']} refused by both, {len(wrong)} differ"
    )
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--damaged", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wrong = check_text(options.program, folder, chance)
        wrong += check_arrays(options.program, folder, chance)
        wrong += check_damaged(options.program, folder, chance, options.damaged)
    for case in wrong[:20]:
        print("DIFFERS:", *case, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
