//! How much memory this process may take: of the machine, of its control group, of what
//! `ulimit` leaves it. Known on Linux, by the files that the system shows.

use std::fs;
use std::path::{Path, PathBuf};

/// Addresses of a thread's stack: Rust's usual size, and what the system sets around it.
const STACK: f64 = 2.2e6;

/// A bound on the memory of this process.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// The bytes that it may reach, those it has by now included.
    pub bytes: f64,
    /// What sets the bound, such as `the machine`.
    pub of: &'static str,
    /// What every further thread takes of it: a stack, used or not.
    stack: f64,
}

impl Limit {
    /// The bytes that are left of it once so many more threads have been started.
    pub fn beside(&self, threads: usize) -> f64 {
        self.bytes - threads as f64 * self.stack
    }
}

/// What this process has, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Own {
    /// In memory now.
    pub resident: f64,
    /// In memory at most so far.
    pub peak: f64,
    /// Addresses, in memory or not.
    pub addresses: f64,
}

/// The tightest bound, if any is known.
pub fn tightest() -> Option<Limit> {
    let own = own()?;
    let read = |path: &Path| fs::read_to_string(path).ok();
    let machine = read(Path::new("/proc/meminfo")).and_then(|text| free(&text));
    let bounds = [
        machine.map(|free| Limit {
            bytes: free + own.resident,
            of: "the machine",
            stack: 0.0,
        }),
        group_limit(&read).map(|free| Limit {
            bytes: free + own.resident,
            of: "the control group (cgroup)",
            stack: 0.0,
        }),
        // (addresses that are no memory are of program text, stacks and reserves of the allocator)
        address_limit(&limits()).map(|most| Limit {
            bytes: most - (own.addresses - own.resident),
            of: "ulimit -v",
            stack: STACK,
        }),
    ];
    let known = bounds.into_iter().flatten();
    known.min_by(|a, b| a.bytes.total_cmp(&b.bytes))
}

/// Whether `ulimit -v` is set.
pub fn addresses_are_limited() -> bool {
    address_limit(&limits()).is_some()
}

/// What the system allows this process.
fn limits() -> String {
    fs::read_to_string("/proc/self/limits").unwrap_or_default()
}

/// What this process has, where the system tells.
pub fn own() -> Option<Own> {
    Some(own_of(&fs::read_to_string("/proc/self/status").ok()?))
}

fn own_of(status: &str) -> Own {
    Own {
        resident: kilobytes(status, "VmRSS:").unwrap_or(0.0),
        peak: kilobytes(status, "VmHWM:").unwrap_or(0.0),
        addresses: kilobytes(status, "VmSize:").unwrap_or(0.0),
    }
}

/// The number of a line such as `VmRSS:  1234 kB`, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(1024.0 * number)
}

/// What the machine can still give, swap included.
fn free(meminfo: &str) -> Option<f64> {
    let swap = kilobytes(meminfo, "SwapFree:").unwrap_or(0.0);
    kilobytes(meminfo, "MemAvailable:").map(|memory| memory + swap)
}

/// The soft limit on addresses.
fn address_limit(limits: &str) -> Option<f64> {
    let line = (limits.lines()).find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// What the control group of this process and those above it can still give.
fn group_limit(read: &dyn Fn(&Path) -> Option<String>) -> Option<f64> {
    let groups = read(Path::new("/proc/self/cgroup"))?;
    let mut least: Option<f64> = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else {
            continue;
        };
        // (version 2 has one tree of groups, version 1 one of each controller)
        let (root, most, used, reclaimable) = match controllers {
            "" => (
                "/sys/fs/cgroup",
                "memory.max",
                "memory.current",
                "inactive_file",
            ),
            _ if controllers.split(',').any(|name| name == "memory") => (
                "/sys/fs/cgroup/memory",
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                "total_inactive_file",
            ),
            _ => continue,
        };
        let number = |folder: &Path, file: &str| -> Option<f64> {
            read(&folder.join(file))?.trim().parse().ok()
        };
        let mut folder = PathBuf::from(root).join(group.trim_start_matches('/'));
        while folder.starts_with(root) {
            if let (Some(most), Some(used)) = (number(&folder, most), number(&folder, used)) {
                let stat = read(&folder.join("memory.stat")).unwrap_or_default();
                let cached = stat.lines().find_map(|line| {
                    let rest = line.strip_prefix(reclaimable)?;
                    rest.trim().parse::<f64>().ok()
                });
                let left = most - used + cached.unwrap_or(0.0);
                least = Some(least.map_or(left, |least| least.min(left)));
            }
            folder.pop();
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_shows_is_read() {
        let status = "Name:\tx\nVmSize:\t  2000 kB\nVmHWM:\t  700 kB\nVmRSS:\t  500 kB\n";
        let own = own_of(status);
        assert_eq!(
            (own.resident, own.peak, own.addresses),
            (512e3, 716800.0, 2048e3)
        );
        let meminfo = "MemTotal: 9 kB\nMemAvailable: 1000 kB\nSwapFree: 24 kB\n";
        assert_eq!(free(meminfo), Some(1048576.0));
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max address space         1000000              unlimited            bytes\n";
        assert_eq!(address_limit(limits), Some(1e6));
        assert_eq!(address_limit(&limits.replace("1000000", "unlimited")), None);
    }

    #[test]
    fn the_tightest_group_counts() {
        let files = |path: &Path| -> Option<String> {
            let text = match path.to_str()? {
                "/proc/self/cgroup" => "0::/queue/job\n",
                "/sys/fs/cgroup/queue/job/memory.max" => "max\n",
                "/sys/fs/cgroup/queue/memory.max" => "5000\n",
                "/sys/fs/cgroup/queue/memory.current" => "3000\n",
                "/sys/fs/cgroup/queue/memory.stat" => "anon 1\ninactive_file 400\n",
                _ => return None,
            };
            Some(text.into())
        };
        assert_eq!(group_limit(&files), Some(2400.0));
        let first = |path: &Path| -> Option<String> {
            let text = match path.to_str()? {
                "/proc/self/cgroup" => "5:cpu:/a\n4:memory:/a\n",
                "/sys/fs/cgroup/memory/a/memory.limit_in_bytes" => "900\n",
                "/sys/fs/cgroup/memory/a/memory.usage_in_bytes" => "100\n",
                _ => return None,
            };
            Some(text.into())
        };
        assert_eq!(group_limit(&first), Some(800.0));
        assert_eq!(group_limit(&|_| None), None);
    }
}
