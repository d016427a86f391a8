//! Blocks with a body of their own: loops, functions and macros.

use std::rc::Rc;

use super::super::condition::Verdict;
use super::super::lexer::Command;
use super::{Function, Guard, MAX_ITERATIONS, MAX_VALUE, Machine};

impl Machine<'_, '_> {
    /// A block with a body of its own; returns the index after its end.
    pub(super) fn block(&mut self, commands: &[Command], start: usize) -> usize {
        let Some(head) = commands.get(start) else {
            return commands.len();
        };
        let close = format!("end{}", head.name);
        let mut depth = 0_u32;
        let mut end = start;
        for (at, command) in commands.iter().enumerate().skip(start) {
            depth += u32::from(command.name == head.name);
            depth -= u32::from(command.name == close && depth > 0);
            end = at;
            if depth == 0 {
                break;
            }
        }
        let body = commands.get(start + 1..end).unwrap_or_default();
        match head.name.as_str() {
            "foreach" => self.foreach(head, body),
            "while" => {
                self.guards.push(Guard {
                    verdict: Verdict::default(),
                    text: "while".to_owned(),
                    earlier: None,
                });
                self.nested(|machine| machine.run(body));
                self.guards.pop();
            }
            _ => self.define(head, body),
        }
        end + 1
    }

    fn define(&mut self, head: &Command, body: &[Command]) {
        let mut params = head.args.iter().map(|arg| arg.text.clone());
        if let Some(name) = params.next()
            && self.functions.len() < 2000
        {
            let function = Function {
                params: params.collect(),
                body: body.to_vec(),
            };
            self.functions
                .insert(name.to_ascii_lowercase(), Rc::new(function));
        }
    }

    fn foreach(&mut self, head: &Command, body: &[Command]) {
        let words = self.words_maybe(&head.args);
        let Some((name, rest)) = words.split_first() else {
            return;
        };
        let items: Vec<String> = match rest.first().map(|(word, _)| word.as_str()) {
            Some("RANGE") => vec!["0".to_owned()],
            Some("IN") => self.foreach_in(rest.get(1..).unwrap_or_default()),
            _ => rest.iter().map(|(word, _)| word.clone()).collect(),
        };
        for item in items.into_iter().take(MAX_ITERATIONS) {
            let known = (!item.contains("${")).then_some(item);
            self.vars.insert(name.0.clone(), known);
            self.nested(|machine| machine.run(body));
        }
    }

    fn foreach_in(&self, words: &[(String, u32)]) -> Vec<String> {
        let mut lists = false;
        let mut items = Vec::new();
        for (word, _) in words {
            match word.as_str() {
                "LISTS" => lists = true,
                "ITEMS" => lists = false,
                _ if lists => {
                    let known = self.vars.get(word).cloned().flatten();
                    let value = known
                        .or_else(|| self.maybe.get(word).cloned())
                        .unwrap_or_default();
                    items.extend(
                        value
                            .split(';')
                            .filter(|part| !part.is_empty())
                            .map(str::to_owned),
                    );
                }
                _ => items.push(word.clone()),
            }
        }
        items
    }

    /// Functions and macros alike: arguments become variables, and so does what the body sets.
    pub(super) fn call(&mut self, function: &Function, command: &Command) {
        let words = self.words_maybe(&command.args);
        let mut names = vec![("ARGC".to_owned(), words.len().to_string())];
        let all: Vec<&str> = words.iter().map(|(word, _)| word.as_str()).collect();
        names.push(("ARGV".to_owned(), all.join(";")));
        names.push((
            "ARGN".to_owned(),
            all.get(function.params.len()..)
                .unwrap_or_default()
                .join(";"),
        ));
        for (at, word) in all.iter().enumerate().take(MAX_ITERATIONS) {
            names.push((format!("ARGV{at}"), (*word).to_owned()));
        }
        let params = function.params.iter().cloned();
        names.extend(params.zip(all.iter().map(|word| (*word).to_owned())));
        let saved: Vec<_> = names
            .iter()
            .map(|(name, _)| (name.clone(), self.vars.get(name).cloned()))
            .collect();
        for (name, value) in names {
            let known = !value.contains("${") && value.len() < MAX_VALUE;
            self.vars.insert(name, known.then_some(value));
        }
        self.nested(|machine| machine.run(&function.body));
        for (name, value) in saved {
            match value {
                Some(value) => self.vars.insert(name, value),
                None => self.vars.remove(&name),
            };
        }
    }
}
