//! Processor time and peak memory of this process, as the kernel counts them. Linux only; elsewhere they are 0.

use std::fs;

/// The kernel tells processor time to programs in hundredths of a second, on every architecture.
const TICKS_A_SECOND: f64 = 100.0;

/// Processor time so far, in user and kernel, in seconds.
pub(crate) fn cpu() -> f64 {
    fs::read_to_string("/proc/self/stat").ok().and_then(|stat| cpu_in(&stat)).unwrap_or(0.0)
}

/// The most memory it had so far, in bytes.
pub(crate) fn peak() -> u64 {
    fs::read_to_string("/proc/self/status").ok().and_then(|status| peak_in(&status)).unwrap_or(0)
}

/// The fields behind the program's name, which is in parentheses and may hold anything.
fn cpu_in(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut times = fields.split(' ').skip(11);
    let mut ticks = || times.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS_A_SECOND)
}

fn peak_in(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_the_sum_of_user_and_kernel() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194304 100 0 0 0 150 50 0 0 20 0 3 0 1 1 1";
        assert_eq!(cpu_in(stat), Some(2.0));
        assert!(cpu() >= 0.0);
    }

    #[test]
    fn the_peak_is_the_high_water_mark() {
        assert_eq!(peak_in("Name:\tx\nVmHWM:\t  1000 kB\nVmRSS:\t 1 kB\n"), Some(1_024_000));
    }
}
