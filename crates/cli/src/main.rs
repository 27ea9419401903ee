//! The enclust command.

fn main() {}
