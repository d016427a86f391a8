use crate::a;
use std::{fmt, io};
use self::b;
use super::c;
// use comment::x;
const TEXT: &str = "use text::x; fn main() {}";
mod inner {}
