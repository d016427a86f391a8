//! The `envc` command.

fn main() -> std::process::ExitCode {
    let mut arguments = std::env::args_os();
    // A sandbox is entered by starting this executable anew, before any thread exists (see `sandbox`).
    if arguments
        .nth(1)
        .is_some_and(|first| first == envc::sandbox::HELPER_ARGUMENT)
    {
        let rest: Vec<String> = arguments
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let code = envc::sandbox::helper_main(&rest);
        return std::process::ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    envc::cli::main()
}
