//! How long and how often a run may try.

use std::time::{Duration, Instant};

use crate::sandbox::Limits;

/// Bounds of a whole run. Wall time counts from [`Budget::start`].
#[derive(Debug, Clone)]
pub struct Budget {
    started: Instant,
    wall: Duration,
    /// Repairs that may be tried.
    attempts: u32,
    used: u32,
    /// Longest a single command may take.
    command: Duration,
    /// Longest it may stay without output.
    silence: Option<Duration>,
}

impl Budget {
    pub fn start(
        wall: Duration,
        attempts: u32,
        command: Duration,
        silence: Option<Duration>,
    ) -> Self {
        Self {
            started: Instant::now(),
            wall,
            attempts,
            used: 0,
            command,
            silence,
        }
    }

    /// Seconds since the start.
    pub fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    pub fn left(&self) -> Duration {
        self.wall.saturating_sub(self.started.elapsed())
    }

    /// Why no further command may start; `None`: one may.
    pub fn exhausted(&self) -> Option<String> {
        self.left().is_zero().then(|| {
            format!(
                "the budget of {} s is used up (--budget gives more)",
                self.wall.as_secs()
            )
        })
    }

    /// Takes one attempt at a repair; the error says why there is none.
    pub fn attempt(&mut self) -> Result<u32, String> {
        if let Some(why) = self.exhausted() {
            return Err(why);
        }
        if self.used >= self.attempts {
            return Err(format!(
                "all {} attempts are used up (--attempts gives more)",
                self.attempts
            ));
        }
        self.used += 1;
        Ok(self.used)
    }

    /// Limits for the next command: its own, and never past the end of the budget.
    pub fn limits(&self) -> Limits {
        Limits {
            wall: self.command.min(self.left()),
            silence: self.silence,
            ..Limits::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_end() {
        let mut budget = Budget::start(Duration::from_secs(60), 2, Duration::from_secs(5), None);
        assert_eq!(budget.attempt(), Ok(1));
        assert_eq!(budget.attempt(), Ok(2));
        assert!(budget.attempt().unwrap_err().contains("--attempts"));
        assert_eq!(budget.limits().wall, Duration::from_secs(5));
    }

    #[test]
    fn time_ends() {
        let mut budget = Budget::start(Duration::ZERO, 2, Duration::from_secs(5), None);
        assert!(budget.attempt().unwrap_err().contains("--budget"));
        assert_eq!(budget.limits().wall, Duration::ZERO);
    }
}
