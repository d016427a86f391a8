//! Observers of a build beside the terminal: the events for the report, and the clock of a run that goes on.

use std::sync::{Arc, Mutex};

use crate::run::{Event, Observer, What};

/// Keeps the events for the report.
#[derive(Debug, Clone, Default)]
pub struct Recorder(Arc<Mutex<Vec<Event>>>);

impl Recorder {
    pub fn take(&self) -> Vec<Event> {
        match self.0.lock() {
            Ok(mut events) => std::mem::take(&mut *events),
            Err(_) => Vec::new(),
        }
    }
}

impl Observer for Recorder {
    fn event(&mut self, event: &Event) {
        // Output is in the journal; the report shows the tails.
        if matches!(event.what, What::Output { .. }) {
            return;
        }
        if let Ok(mut events) = self.0.lock() {
            events.push(event.clone());
        }
    }
}

/// Tells times as if the run had never stopped: an observer that knows the earlier run's events.
pub struct Shifted<T> {
    pub by: f64,
    pub inner: T,
}

impl<T: Observer> Observer for Shifted<T> {
    fn event(&mut self, event: &Event) {
        self.inner.event(&Event {
            at: event.at + self.by,
            what: event.what.clone(),
        });
    }
}
