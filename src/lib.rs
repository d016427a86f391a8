//! envc, the environment compiler. The modules are the stages of the pipeline, in order.

pub mod evidence;

pub mod cli;
pub mod diagnose;
pub mod emit;
pub mod graph;
pub mod packages;
pub mod plan;
pub mod pyramid;
pub mod repair;
pub mod run;
pub mod sandbox;
pub mod scan;
pub mod script;
pub mod verify;
