fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.get(1).map(String::as_str) == Some(envc::sandbox::HELPER_ARGUMENT) {
        std::process::exit(envc::sandbox::helper_main(&args[2..]));
    }
}
