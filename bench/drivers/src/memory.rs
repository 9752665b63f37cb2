//! The memory of this process; Linux only.

use std::error::Error;

/// The most bytes that were resident so far (`VmHWM`).
pub fn peak_memory() -> Result<usize, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    Ok(1024
        * kilobytes
            .ok_or("no VmHWM in /proc/self/status")?
            .parse::<usize>()?)
}
