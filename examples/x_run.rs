use envc::sandbox::*;
use std::time::Instant;
fn main() {
    let mut o = Options::new().unwrap();
    o.helper = "/tmp/wt/sandbox/target/debug/envc".into();
    o.store = Some("/tmp/x/store".into());
    let base = match std::env::args().nth(1) {
        Some(p) if p != "host" => Base::Rootfs(p.into()),
        _ => Base::Host,
    };
    let mut s = create(Backend::Overlay, &base, &o).unwrap();
    let c = CommandSpec {
        argv: vec!["/bin/true".into()],
        dir: "/".into(),
        env: vec![],
        limits: Limits::default(),
        network: Network::Full,
    };
    let n: u32 = std::env::args()
        .nth(2)
        .and_then(|n| n.parse().ok())
        .unwrap_or(50);
    let mut t = vec![];
    for _ in 0..n {
        let a = Instant::now();
        s.run(&c, &mut |_| {}).unwrap();
        t.push(a.elapsed());
    }
    t.sort();
    println!("min {:?} median {:?}", t[0], t[t.len() / 2]);
}
