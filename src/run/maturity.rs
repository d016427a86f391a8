//! The maturity state machine of the feedback loop (HerAgent, sections 2.2 and 3.3.2).

use crate::pyramid::Level;

use super::model::Verdict;

/// Where the environment stands.
#[derive(Debug, Clone)]
pub struct Maturity {
    level: Level,
    /// Failures in a row at the present level.
    failures: u32,
    stepped_back: bool,
}

/// What the loop does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// The next command of the same level.
    Stay,
    /// The level has no command left: the next one up.
    Climb(Level),
    /// The level keeps failing: try a command that passed below, to see that the ground is firm.
    StepBack(Level),
    /// No level above.
    Done,
}

/// Failures in a row that make the loop doubt the levels below.
const PATIENCE: u32 = 2;

impl Default for Maturity {
    fn default() -> Self {
        Self {
            level: Level::Installability,
            failures: 0,
            stepped_back: false,
        }
    }
}

impl Maturity {
    pub fn level(&self) -> Level {
        self.level
    }

    /// The transition after a command of the present level ended with `verdict`; `left` commands of it remain.
    pub fn next(&mut self, verdict: Option<Verdict>, left: usize) -> Move {
        match verdict {
            Some(Verdict::Failed) => self.failures += 1,
            Some(_) => self.failures = 0,
            None => {}
        }
        if self.failures >= PATIENCE && !self.stepped_back && self.level > Level::Installability {
            self.stepped_back = true;
            self.failures = 0;
            return Move::StepBack(self.below());
        }
        if left > 0 {
            return Move::Stay;
        }
        self.failures = 0;
        self.stepped_back = false;
        match self.level {
            Level::Installability => self.level = Level::Testability,
            Level::Testability => self.level = Level::Runnability,
            Level::Runnability => return Move::Done,
        }
        Move::Climb(self.level)
    }

    fn below(&self) -> Level {
        match self.level {
            Level::Runnability => Level::Testability,
            _ => Level::Installability,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn climbs_through_all_levels() {
        let mut maturity = Maturity::default();
        assert_eq!(maturity.next(Some(Verdict::Passed), 1), Move::Stay);
        assert_eq!(
            maturity.next(Some(Verdict::Passed), 0),
            Move::Climb(Level::Testability)
        );
        assert_eq!(maturity.next(None, 0), Move::Climb(Level::Runnability));
        assert_eq!(maturity.next(Some(Verdict::Failed), 0), Move::Done);
    }

    #[test]
    fn steps_back_once_where_a_level_keeps_failing() {
        let mut maturity = Maturity::default();
        maturity.next(Some(Verdict::Passed), 0);
        assert_eq!(maturity.next(Some(Verdict::Failed), 5), Move::Stay);
        assert_eq!(
            maturity.next(Some(Verdict::Failed), 4),
            Move::StepBack(Level::Installability)
        );
        assert_eq!(maturity.next(Some(Verdict::Failed), 3), Move::Stay);
        assert_eq!(maturity.next(Some(Verdict::Failed), 2), Move::Stay);
    }
}
