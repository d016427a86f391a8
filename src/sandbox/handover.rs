//! Messages between envc and a sandbox's holder: a few bytes each, with open files.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// Most files in one message.
const MOST_FILES: usize = 8;

/// Longest message.
const LONGEST: usize = 256;

/// Words for the message header with room for [`MOST_FILES`], aligned as the kernel wants it.
const CONTROL_WORDS: usize = 8;

/// Two connected ends that keep messages apart; both close on exec.
pub fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut fds = [0; 2];
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
    // SAFETY: the array has room for both descriptors, which are then ours.
    unsafe {
        check(libc::socketpair(libc::AF_UNIX, kind, 0, fds.as_mut_ptr()) as isize)?;
        Ok((OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1])))
    }
}

/// Sends `text` with open files. The other end gets descriptors of its own for them.
pub fn send(socket: BorrowedFd<'_>, text: &[u8], files: &[RawFd]) -> io::Result<()> {
    let mut control = [0u64; CONTROL_WORDS];
    let mut part = libc::iovec {
        iov_base: text.as_ptr().cast_mut().cast(),
        iov_len: text.len(),
    };
    let mut header = header(&mut part, &mut control);
    let bytes = size_of_val(files);
    if files.len() > MOST_FILES {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: the header's buffers outlive the call and are as long as it says; `control` holds MOST_FILES descriptors.
    unsafe {
        if files.is_empty() {
            header.msg_control = std::ptr::null_mut();
            header.msg_controllen = 0;
        } else {
            header.msg_controllen = libc::CMSG_SPACE(bytes as u32) as _;
            let first = libc::CMSG_FIRSTHDR(&header);
            (*first).cmsg_level = libc::SOL_SOCKET;
            (*first).cmsg_type = libc::SCM_RIGHTS;
            (*first).cmsg_len = libc::CMSG_LEN(bytes as u32) as _;
            std::ptr::copy_nonoverlapping(
                files.as_ptr().cast::<u8>(),
                libc::CMSG_DATA(first),
                bytes,
            );
        }
        check(libc::sendmsg(
            socket.as_raw_fd(),
            &header,
            libc::MSG_NOSIGNAL,
        ))
        .map(drop)
    }
}

/// The next message; `None` when the other end is closed. Waits.
pub fn receive(socket: BorrowedFd<'_>) -> io::Result<Option<(Vec<u8>, Vec<OwnedFd>)>> {
    let mut control = [0u64; CONTROL_WORDS];
    let mut text = vec![0u8; LONGEST];
    let mut part = libc::iovec {
        iov_base: text.as_mut_ptr().cast(),
        iov_len: text.len(),
    };
    let mut header = header(&mut part, &mut control);
    let length = loop {
        // SAFETY: the header's buffers outlive the call and are as long as it says.
        let result = check(unsafe {
            libc::recvmsg(socket.as_raw_fd(), &mut header, libc::MSG_CMSG_CLOEXEC)
        });
        match result {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => break other? as usize,
        }
    };
    let mut files = Vec::new();
    // SAFETY: the kernel filled the control buffer; each descriptor in it is new and ours.
    unsafe {
        let mut at = libc::CMSG_FIRSTHDR(&header);
        while !at.is_null() {
            if ((*at).cmsg_level, (*at).cmsg_type) == (libc::SOL_SOCKET, libc::SCM_RIGHTS) {
                let bytes = (*at).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
                let data = libc::CMSG_DATA(at).cast::<RawFd>();
                for index in 0..bytes / size_of::<RawFd>() {
                    files.push(OwnedFd::from_raw_fd(data.add(index).read_unaligned()));
                }
            }
            at = libc::CMSG_NXTHDR(&header, at);
        }
    }
    text.truncate(length);
    Ok((length > 0).then_some((text, files)))
}

fn header(part: &mut libc::iovec, control: &mut [u64; CONTROL_WORDS]) -> libc::msghdr {
    // SAFETY: msghdr is plain data; zero is valid for all its fields.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    header.msg_iov = part;
    header.msg_iovlen = 1;
    header.msg_control = control.as_mut_ptr().cast();
    header.msg_controllen = size_of_val(control) as _;
    header
}

fn check(result: isize) -> io::Result<isize> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn files_arrive_and_the_end_is_seen() {
        let (one, two) = pair().unwrap();
        let (mut read, write) = io::pipe().unwrap();
        send(one.as_fd(), b"E", &[write.as_raw_fd(), write.as_raw_fd()]).unwrap();
        send(one.as_fd(), b"D7", &[]).unwrap();
        drop(write);
        let (text, files) = receive(two.as_fd()).unwrap().unwrap();
        assert_eq!((text.as_slice(), files.len()), (&b"E"[..], 2));
        for file in files {
            std::fs::File::from(file).write_all(b"x").unwrap();
        }
        let mut got = String::new();
        read.read_to_string(&mut got).unwrap();
        assert_eq!(got, "xx");
        assert_eq!(receive(two.as_fd()).unwrap().unwrap().0, b"D7");
        drop(one);
        assert!(receive(two.as_fd()).unwrap().is_none());
        assert!(send(two.as_fd(), b"E", &[]).is_err());
    }
}
