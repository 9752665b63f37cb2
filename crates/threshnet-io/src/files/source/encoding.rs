//! The encoding of text: what is not UTF-8 becomes it as it is read.

use std::io::{Read, Result};

/// How many bytes are looked at to tell UTF-8 from what is not.
pub const SAMPLED: usize = 2 << 20;

/// How text is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// ISO 8859-1.
    Latin1,
    /// Windows code page 1252: Latin-1 with letters and signs in place of control characters.
    Windows1252,
    /// UTF-16; where no byte-order mark says which byte is first, the first character does.
    Utf16,
}

/// The signs of Windows-1252 from 0x80 to 0x9f; what is not defined there is what Latin-1 has.
const SIGNS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

impl Encoding {
    /// All of them.
    pub const ALL: [Encoding; 4] = [
        Encoding::Utf8,
        Encoding::Latin1,
        Encoding::Windows1252,
        Encoding::Utf16,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Latin1 => "latin1",
            Encoding::Windows1252 => "windows-1252",
            Encoding::Utf16 => "utf-16",
        }
    }

    /// That of text which begins with these bytes, a whole file or the most that is looked at.
    pub fn detect(start: &[u8]) -> Encoding {
        match (start, str::from_utf8(start)) {
            ([0xff, 0xfe, ..] | [0xfe, 0xff, ..], _) => Encoding::Utf16,
            // no mark, but a table begins with ASCII characters
            ([0, 1..=0x7f, 0, 1..=0x7f, ..] | [1..=0x7f, 0, 1..=0x7f, 0, ..], _) => Encoding::Utf16,
            // (the sample may end within a character)
            (_, Err(error)) if error.error_len().is_some() => Encoding::Windows1252,
            _ => Encoding::Utf8,
        }
    }

    /// The bytes of a text in UTF-8.
    pub fn decoded(self, input: impl Read + Send + 'static) -> Box<dyn Read + Send> {
        match self {
            Encoding::Utf8 => Box::new(input),
            encoding => Box::new(Decoded {
                input,
                encoding,
                big_endian: false,
                begun: false,
                rest: Vec::new(),
                ready: Vec::new(),
                at: 0,
            }),
        }
    }
}

/// Text in UTF-8 that was something else.
struct Decoded<R> {
    input: R,
    encoding: Encoding,
    big_endian: bool,
    begun: bool,
    /// Bytes of a character that is not complete.
    rest: Vec<u8>,
    /// What is decoded, and how much of it is handed out.
    ready: Vec<u8>,
    at: usize,
}

impl<R: Read> Decoded<R> {
    /// Decodes some more; false at the end.
    fn fill(&mut self) -> Result<bool> {
        let start = self.rest.len();
        let mut bytes = std::mem::take(&mut self.rest);
        bytes.resize(start + (1 << 16), 0);
        let read = self.input.read(&mut bytes[start..])?;
        bytes.truncate(start + read);
        let ended = read == 0;
        (self.at, self.ready) = (0, Vec::new());
        let text: String = match self.encoding {
            Encoding::Utf16 => {
                if !self.begun && bytes.len() >= 2 {
                    self.begun = true;
                    let has_mark = matches!(bytes[..2], [0xfe, 0xff] | [0xff, 0xfe]);
                    self.big_endian = matches!(bytes[..2], [0xfe, 0xff] | [0, 1..=0xff]);
                    if has_mark {
                        bytes.drain(..2);
                    }
                }
                let units = self.units(&bytes, ended);
                self.rest = match ended {
                    true => vec![],
                    false => bytes[2 * units.len()..].to_vec(),
                };
                let characters = char::decode_utf16(units);
                characters
                    .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                    .collect()
            }
            Encoding::Windows1252 => (bytes.iter())
                .map(|&byte| match byte {
                    0x80..=0x9f => SIGNS[usize::from(byte - 0x80)],
                    byte => char::from(byte),
                })
                .collect(),
            Encoding::Latin1 | Encoding::Utf8 => {
                bytes.iter().map(|&byte| char::from(byte)).collect()
            }
        };
        self.ready = text.into_bytes();
        Ok(!ended)
    }

    /// The units of UTF-16 that can be decoded: the first of a pair waits for the second.
    fn units(&self, bytes: &[u8], ended: bool) -> Vec<u16> {
        let unit = |pair: &[u8]| match self.big_endian {
            true => u16::from_be_bytes([pair[0], pair[1]]),
            false => u16::from_le_bytes([pair[0], pair[1]]),
        };
        let mut units: Vec<u16> = bytes.chunks_exact(2).map(unit).collect();
        let waits = units
            .last()
            .is_some_and(|unit| (0xd800..0xdc00).contains(unit));
        if waits && !ended {
            units.pop();
        }
        units
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        while self.at == self.ready.len() {
            if !self.fill()? {
                break;
            }
        }
        let count = buffer.len().min(self.ready.len() - self.at);
        buffer[..count].copy_from_slice(&self.ready[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out a few bytes at a time, so that characters are cut.
    struct Slow(Vec<u8>, usize);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok(count)
        }
    }

    fn decoded(encoding: Encoding, bytes: &[u8]) -> String {
        let texts: Vec<String> = [1, 3, 1000]
            .map(|step| {
                let mut text = String::new();
                let mut input = encoding.decoded(Slow(bytes.to_vec(), step));
                input.read_to_string(&mut text).unwrap();
                text
            })
            .into();
        assert!(texts.iter().all(|text| *text == texts[0]));
        texts[0].clone()
    }

    #[test]
    fn every_encoding_becomes_utf_8() {
        let text = "Größe;µg\n€𝛼\n";
        let units = || text.encode_utf16();
        let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decoded(Encoding::Utf16, &little), text);
        assert_eq!(
            decoded(Encoding::Utf16, &[&[0xff, 0xfe], &little[..]].concat()),
            text
        );
        assert_eq!(decoded(Encoding::Utf16, &big), text);
        assert_eq!(
            decoded(Encoding::Utf16, &[&[0xfe, 0xff], &big[..]].concat()),
            text
        );
        // as iconv -t WINDOWS-1252 writes "Größe €"
        let windows = b"Gr\xf6\xdfe \x80";
        assert_eq!(decoded(Encoding::Windows1252, windows), "Größe €");
        assert_eq!(decoded(Encoding::Latin1, b"Gr\xf6\xdfe"), "Größe");
        assert_eq!(decoded(Encoding::Utf8, text.as_bytes()), text);
    }

    #[test]
    fn encodings_are_detected() {
        for (bytes, encoding) in [
            ("Größe".as_bytes(), Encoding::Utf8),
            (b"plain", Encoding::Utf8),
            (b"Gr\xf6\xdfe", Encoding::Windows1252),
            (b"\xff\xfea\0", Encoding::Utf16),
            (b"\xfe\xff\0a", Encoding::Utf16),
            (b"a\0,\0y\0", Encoding::Utf16),
            (b"\0a\0,\0y", Encoding::Utf16),
            (b"\0\0\0\0", Encoding::Utf8),
            // cut within a character
            (&"Größe".as_bytes()[..3], Encoding::Utf8),
            (b"", Encoding::Utf8),
        ] {
            assert_eq!(Encoding::detect(bytes), encoding, "{bytes:?}");
        }
    }
}
