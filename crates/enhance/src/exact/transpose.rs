//! Transposes of tiles.

use enclust_core::Real;

use super::tiles::{Row, TILE};

/// The transpose of a tile that is given by its rows; missing rows are zero. At most [`TILE`]
/// rows are written.
#[inline(always)]
pub fn transposed<S: Real>(rows: &[Row<S>], out: &mut [Row<S>]) {
    if let (Ok(rows), Ok(out)) = (rows.try_into(), (&mut *out).try_into())
        && whole_tile(rows, out)
    {
        return;
    }
    for (c, out) in out.iter_mut().take(TILE).enumerate() {
        for (out, row) in out.iter_mut().zip(rows) {
            *out = row[c];
        }
        out[rows.len()..].fill(S::zero());
    }
}

type Tile<S> = [Row<S>; TILE];

/// Transposes a tile without missing rows in vector registers. Returns false, and does nothing,
/// if there are no instructions for this type or processor. Compilers do not find these
/// instructions themselves: they move one number at a time, which takes three times as long.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn whole_tile<S: Real>(rows: &Tile<S>, out: &mut Tile<S>) -> bool {
    use std::any::Any;
    let Some(registers) = pulp::x86::V3::try_new() else { return false };
    let (rows, out) = (rows as &dyn Any, out as &mut dyn Any);
    if let (Some(rows), Some(out)) = (rows.downcast_ref(), out.downcast_mut()) {
        registers.vectorize(avx::Single { registers, rows, out });
        return true;
    }
    if let (Some(rows), Some(out)) = (rows.downcast_ref(), out.downcast_mut()) {
        registers.vectorize(avx::Double { registers, rows, out });
        return true;
    }
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn whole_tile<S: Real>(_: &Tile<S>, _: &mut Tile<S>) -> bool {
    false
}

/// Square blocks whose rows fill one register of 256 bits each.
#[cfg(target_arch = "x86_64")]
mod avx {
    use std::arch::x86_64::{__m256, __m256d};

    use pulp::bytemuck::cast;
    use pulp::{NullaryFnOnce, x86::V3};

    use super::Tile;

    /// A tile in single precision, in blocks of 8 × 8.
    pub struct Single<'a> {
        pub registers: V3,
        pub rows: &'a Tile<f32>,
        pub out: &'a mut Tile<f32>,
    }

    impl NullaryFnOnce for Single<'_> {
        type Output = ();

        #[inline(always)]
        fn call(self) {
            let Single { registers, rows, out } = self;
            in_blocks(rows, out, |block| single_block(registers, block));
        }
    }

    /// A tile in double precision, in blocks of 4 × 4.
    pub struct Double<'a> {
        pub registers: V3,
        pub rows: &'a Tile<f64>,
        pub out: &'a mut Tile<f64>,
    }

    impl NullaryFnOnce for Double<'_> {
        type Output = ();

        #[inline(always)]
        fn call(self) {
            let Double { registers, rows, out } = self;
            in_blocks(rows, out, |block| double_block(registers, block));
        }
    }

    #[inline(always)]
    fn in_blocks<S: Copy, const SIDE: usize>(
        rows: &Tile<S>,
        out: &mut Tile<S>,
        transposed: impl Fn([[S; SIDE]; SIDE]) -> [[S; SIDE]; SIDE],
    ) {
        let (rows, out) = (rows.as_chunks::<SIDE>().0, out.as_chunks_mut::<SIDE>().0);
        for (across, rows) in rows.iter().enumerate() {
            for (down, out) in out.iter_mut().enumerate() {
                let block = transposed(rows.each_ref().map(|row| row.as_chunks().0[down]));
                for (out, line) in out.iter_mut().zip(block) {
                    out.as_chunks_mut().0[across] = line;
                }
            }
        }
    }

    /// Three rounds that interleave single numbers, pairs and fours.
    #[inline(always)]
    fn single_block(V3 { avx, .. }: V3, rows: [[f32; 8]; 8]) -> [[f32; 8]; 8] {
        let [a, b, c, d, e, f, g, h]: [__m256; 8] = cast(rows);
        let low = |x, y| avx._mm256_unpacklo_ps(x, y);
        let high = |x, y| avx._mm256_unpackhi_ps(x, y);
        let ([a, b], [c, d]) = ([low(a, b), high(a, b)], [low(c, d), high(c, d)]);
        let ([e, f], [g, h]) = ([low(e, f), high(e, f)], [low(g, h), high(g, h)]);
        let low = |x, y| avx._mm256_shuffle_ps::<0x44>(x, y);
        let high = |x, y| avx._mm256_shuffle_ps::<0xee>(x, y);
        let [a, b, c, d] = [low(a, c), high(a, c), low(b, d), high(b, d)];
        let [e, f, g, h] = [low(e, g), high(e, g), low(f, h), high(f, h)];
        let low = |x, y| avx._mm256_permute2f128_ps::<0x20>(x, y);
        let high = |x, y| avx._mm256_permute2f128_ps::<0x31>(x, y);
        let upper = [low(a, e), low(b, f), low(c, g), low(d, h)];
        let lower = [high(a, e), high(b, f), high(c, g), high(d, h)];
        cast([upper, lower])
    }

    /// Two rounds that interleave single numbers and pairs.
    #[inline(always)]
    fn double_block(V3 { avx, .. }: V3, rows: [[f64; 4]; 4]) -> [[f64; 4]; 4] {
        let [a, b, c, d]: [__m256d; 4] = cast(rows);
        let low = |x, y| avx._mm256_unpacklo_pd(x, y);
        let high = |x, y| avx._mm256_unpackhi_pd(x, y);
        let [a, b, c, d] = [low(a, b), high(a, b), low(c, d), high(c, d)];
        let low = |x, y| avx._mm256_permute2f128_pd::<0x20>(x, y);
        let high = |x, y| avx._mm256_permute2f128_pd::<0x31>(x, y);
        cast([low(a, c), low(b, d), high(a, c), high(b, d)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile<S: Real>(rows: usize) -> Vec<Row<S>> {
        let row = |i| std::array::from_fn(|c| S::of((i * TILE + c + 1) as f64));
        (0..rows).map(row).collect()
    }

    fn check<S: Real>(rows: usize, written: usize) {
        let tile = tile::<S>(rows);
        let mut out = vec![[S::of(-1.0); TILE]; written];
        transposed(&tile, &mut out);
        for (c, row) in out.iter().enumerate() {
            for (i, &v) in row.iter().enumerate() {
                assert_eq!(v, if i < rows { tile[i][c] } else { S::zero() }, "{c}, {i}");
            }
        }
    }

    #[test]
    fn tiles_are_transposed_whatever_their_size() {
        for (rows, written) in [(64, 64), (64, 13), (13, 64), (8, 1), (1, 64), (0, 64)] {
            check::<f32>(rows, written);
            check::<f64>(rows, written);
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn whole_tiles_are_transposed_in_registers_where_there_are_some() {
        fn used<S: Real>() -> bool {
            let (from, mut to) = (tile::<S>(TILE), tile::<S>(TILE));
            whole_tile::<S>(from[..].try_into().unwrap(), (&mut to[..]).try_into().unwrap())
        }
        let available = pulp::x86::V3::try_new().is_some();
        assert_eq!([used::<f32>(), used::<f64>()], [available; 2]);
    }
}
