//! The amount of available memory.

use std::fs;
use std::path::Path;

use crate::memory::Bytes;

/// The memory that this process may allocate now without swapping or being killed: the kernel's
/// figure of available memory, limited by the free memory of each control group of the process.
/// `None` if it cannot be determined (outside Linux).
pub(crate) fn available() -> Option<Bytes> {
    let machine = meminfo_available(&fs::read_to_string("/proc/meminfo").ok()?)?;
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group = group_room(&groups, Path::new("/sys/fs/cgroup"));
    let read = |file| fs::read_to_string(file).unwrap_or_default();
    let space = address_room(&read("/proc/self/limits"), &read("/proc/self/status"));
    [Some(machine), group, space].into_iter().flatten().min()
}

/// The address space that the process may still take if it is limited (`ulimit -v`), from the
/// texts of /proc/self/limits and /proc/self/status. A fifth of the limit and [`RESERVE`] are
/// left for stacks and for the allocator itself.
fn address_room(limits: &str, status: &str) -> Option<Bytes> {
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = limit.split_whitespace().next()?.parse().ok()?;
    let used = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let used: u64 = used.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(Bytes(limit - limit / 5) - Bytes(used) * 1024 - RESERVE)
}

/// Allocators take address space in large steps and leave gaps, and a process that cannot allocate
/// a few bytes is aborted.
const RESERVE: Bytes = Bytes(64 << 20);

/// `MemAvailable` of /proc/meminfo.
fn meminfo_available(meminfo: &str) -> Option<Bytes> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(Bytes(kib) * 1024)
}

/// File names of one version of control groups.
struct Version {
    /// The folder of the memory controller under the mount point.
    folder: &'static str,
    limit: &'static str,
    usage: &'static str,
    /// Prefix of the entries in `memory.stat` that include subgroups.
    prefix: &'static str,
}

const V1: Version = Version {
    folder: "memory",
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    prefix: "total_",
};
const V2: Version =
    Version { folder: "", limit: "memory.max", usage: "memory.current", prefix: "" };

/// The smallest free memory of the control groups that `listing`, the text of /proc/self/cgroup,
/// names, and of their parents.
fn group_room(listing: &str, mount: &Path) -> Option<Bytes> {
    let rooms = listing.lines().filter_map(memory_group).flat_map(|(version, path)| {
        // In a container the path may be that of the host; the root always exists.
        let above = Path::new(path).ancestors();
        above.filter_map(move |group| {
            let group = group.strip_prefix("/").unwrap_or(group);
            room_in(&version, &mount.join(version.folder).join(group))
        })
    });
    rooms.min()
}

/// The memory group in a line of /proc/self/cgroup, if the line names one.
fn memory_group(line: &str) -> Option<(Version, &str)> {
    let mut fields = line.splitn(3, ':');
    let (number, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
    match (number, controllers) {
        ("0", "") => Some((V2, path)),
        _ if controllers.split(',').any(|c| c == "memory") => Some((V1, path)),
        _ => None,
    }
}

fn room_in(version: &Version, folder: &Path) -> Option<Bytes> {
    let read = |file: &str| fs::read_to_string(folder.join(file)).ok();
    let stat = read("memory.stat").unwrap_or_default();
    room(&read(version.limit)?, &read(version.usage)?, &stat, version.prefix)
}

/// Limit minus usage. Cached files count as used but can be evicted, so they are added back, as
/// in `MemAvailable`. `None` if there is no limit.
fn room(limit: &str, usage: &str, stat: &str, prefix: &str) -> Option<Bytes> {
    let limit = Bytes(limit.trim().parse().ok()?);
    let usage = Bytes(usage.trim().parse().ok()?);
    let cached: Bytes =
        ["inactive_file", "active_file"].iter().filter_map(|name| entry(stat, prefix, name)).sum();
    Some(limit - (usage - cached))
}

/// An entry of `memory.stat`.
fn entry(stat: &str, prefix: &str, name: &str) -> Option<Bytes> {
    let value = stat
        .lines()
        .find_map(|line| line.strip_prefix(prefix)?.strip_prefix(name)?.strip_prefix(' '))?;
    Some(Bytes(value.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limited_address_space_counts() {
        let status = "Name:\tx\nVmSize:\t  100 kB\n";
        let limits = |soft: &str| {
            format!("Limit  Soft Limit\nMax address space         {soft}       unlimited  bytes\n")
        };
        let room = 800_000_000 - 102_400 - RESERVE.0;
        assert_eq!(address_room(&limits("1000000000"), status), Some(Bytes(room)));
        assert_eq!(address_room(&limits("1024"), status), Some(Bytes(0)), "no room");
        assert_eq!(address_room(&limits("unlimited"), status), None);
    }

    #[test]
    fn the_kernels_figure_is_in_kib() {
        let text = "MemTotal:        8000000 kB\nMemFree:  1 kB\nMemAvailable:    2048 kB\n";
        assert_eq!(meminfo_available(text), Some(Bytes(2048 * 1024)));
        assert_eq!(meminfo_available("MemTotal: 8 kB\n"), None);
        assert_eq!(meminfo_available("MemAvailable: many kB\n"), None);
    }

    #[test]
    fn lines_name_memory_groups_of_both_versions() {
        let found = |line| memory_group(line).map(|(version, path)| (version.limit, path));
        assert_eq!(found("0::/user.slice/a:b"), Some(("memory.max", "/user.slice/a:b")));
        assert_eq!(found("4:memory:/docker/1"), Some(("memory.limit_in_bytes", "/docker/1")));
        assert_eq!(found("9:cpu,memory:/x"), Some(("memory.limit_in_bytes", "/x")));
        assert_eq!(found("1:name=systemd:/x"), None);
        assert_eq!(found("nonsense"), None);
    }

    #[test]
    fn cached_files_give_way() {
        let stat = "anon 5\ninactive_file 300\nactive_file 100\n";
        assert_eq!(room("1000\n", "900\n", "", ""), Some(Bytes(100)));
        assert_eq!(room("1000\n", "900\n", stat, ""), Some(Bytes(500)));
        assert_eq!(room("1000\n", "1200\n", "", ""), Some(Bytes(0)));
        let stat = "inactive_file 1\ntotal_inactive_file 300\ntotal_active_file 100\n";
        assert_eq!(room("1000\n", "900\n", stat, "total_"), Some(Bytes(500)));
    }

    #[test]
    fn no_limit_is_no_limit() {
        assert_eq!(room("max\n", "900\n", "", ""), None);
        // Version 1 writes a number close to 2⁶³.
        let room = room("9223372036854771712\n", "900\n", "", "total_");
        assert!(room > Some(Bytes(1 << 62)));
    }

    #[test]
    fn the_tightest_group_above_counts() {
        let mount = std::env::temp_dir().join(format!("enclust-groups-{}", std::process::id()));
        let inner = mount.join("outer/inner");
        fs::create_dir_all(&inner).unwrap();
        let write = |folder: &Path, limit: &str, usage: &str| {
            fs::write(folder.join("memory.max"), limit).unwrap();
            fs::write(folder.join("memory.current"), usage).unwrap();
        };
        write(&inner, "max\n", "10\n");
        write(&mount.join("outer"), "1000\n", "400\n");
        assert_eq!(group_room("0::/outer/inner\n", &mount), Some(Bytes(600)));
        write(&inner, "300\n", "100\n");
        assert_eq!(group_room("0::/outer/inner\n", &mount), Some(Bytes(200)));
        assert_eq!(group_room("0::/elsewhere\n", &mount), None);
        fs::remove_dir_all(&mount).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_has_some() {
        assert!(available().is_some_and(|bytes| bytes > Bytes(0)));
    }
}
