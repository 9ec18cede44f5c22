//! The words on the wire that belong to no family: the envelope of a request, the greeting, answers, and the frame around the
//! families' sections. docs/protocol.md writes them down.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use pliant::linalg::foreign;

/// Raised when an old client would misunderstand a new server.
pub const PROTOCOL: u32 = 2;

/// The WebSocket subprotocol.
pub const SUBPROTOCOL: &str = "pliant.2";

/// What older clients offer.
pub(crate) const OLDER: &str = "pliant.1";

/// Of a word that a client sent: so much of it is repeated.
const REPEATED: usize = 40;

/// A request as it arrives: whose it is, what it asks for, and its keys, which its family reads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ask {
    /// Before the dot.
    pub(crate) family: String,
    /// Behind it.
    pub(crate) word: String,
    /// A request with one is answered.
    pub(crate) seq: Option<u32>,
    keys: Map<String, Value>,
}

/// Why a text is no request, with what could be read of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unread {
    pub(crate) what: String,
    pub(crate) seq: Option<u32>,
    pub(crate) sentence: String,
}

impl Ask {
    /// Of a text.
    ///
    /// # Errors
    /// What is no JSON object with a `do` of the form FAMILY.WORD.
    pub(crate) fn read(text: &str) -> Result<Self, Unread> {
        let unread = |what: &str, seq, why: &str| Unread {
            what: what.chars().take(REPEATED).collect(),
            seq,
            sentence: format!("not a request of protocol {PROTOCOL}: {why}; docs/protocol.md lists them"),
        };
        let value: Value =
            serde_json::from_str(text).map_err(|e| unread("", None, &foreign(&e.to_string())))?;
        let Value::Object(mut keys) = value else {
            return Err(unread("", None, "it is no JSON object"));
        };
        let named = keys.remove("do");
        let named = named.as_ref().and_then(Value::as_str).unwrap_or_default();
        let seq = match keys.remove("seq") {
            None => None,
            Some(seq) => match seq.as_u64().and_then(|seq| u32::try_from(seq).ok()) {
                Some(seq) => Some(seq),
                None => return Err(unread(named, None, "`seq` is no whole number below 2³²")),
            },
        };
        match named.split_once('.') {
            Some((family, word)) if !family.is_empty() && !word.is_empty() => {
                Ok(Self { family: family.into(), word: word.into(), seq, keys })
            }
            _ => Err(unread(named, seq, "`do` must be FAMILY.WORD, such as `hand.grab`")),
        }
    }

    /// FAMILY.WORD, as far as it is repeated.
    pub(crate) fn named(&self) -> String {
        format!("{}.{}", self.family, self.word).chars().take(REPEATED).collect()
    }

    /// The body that is named becomes the one that is meant.
    pub(crate) fn address(&mut self, meant: impl FnOnce(u32) -> u32) {
        let Some(body) = self.keys.get_mut("body") else { return };
        if let Some(named) = body.as_u64().and_then(|named| u32::try_from(named).ok()) {
            *body = meant(named).into();
        }
    }

    /// The request in the words of its family: an enum that serde tells apart by the word, with strict keys.
    ///
    /// # Errors
    /// A sentence.
    pub(crate) fn read_as<T: DeserializeOwned>(&self) -> Result<T, String> {
        let mut keys = self.keys.clone();
        keys.insert("do".into(), Value::String(self.word.clone()));
        serde_json::from_value(Value::Object(keys)).map_err(|error| {
            let (family, error) = (&self.family, foreign(&error.to_string()));
            format!(
                "not a request of the family {family}: {error}; docs/protocol/{family}.md lists its requests"
            )
        })
    }
}

/// What the server tells that is of no family.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(crate) enum Event {
    /// The first word to a client.
    Welcome {
        protocol: u32,
        version: &'static str,
        client: u32,
        families: Vec<&'static str>,
        menus: Value,
        limits: Value,
    },
    /// Somebody came or went.
    People { clients: usize },
    /// To the client that asked, unless it gave no number.
    Answered {
        seq: u32,
        #[serde(rename = "do")]
        what: String,
        #[serde(flatten)]
        said: Map<String, Value>,
    },
    /// To the client that asked.
    Refused {
        seq: Option<u32>,
        #[serde(rename = "do")]
        what: String,
        sentence: String,
    },
}

impl Event {
    /// As it goes over the wire.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("events hold nothing that JSON cannot")
    }
}

/// An event of a family: its name, and its keys.
pub(crate) fn event(name: &str, keys: &impl Serialize) -> String {
    let mut all = json!({ "event": name });
    let keys = serde_json::to_value(keys).expect("events hold nothing that JSON cannot");
    if let (Value::Object(all), Value::Object(keys)) = (&mut all, keys) {
        all.extend(keys);
    }
    all.to_string()
}

/// How a job goes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobNews {
    /// Its number.
    pub job: u32,
    /// What is made.
    pub title: String,
    /// How it stands.
    pub state: JobState,
    /// In words for people.
    pub stage: String,
    /// Of the stage, from 0 to 1.
    pub part: Option<f64>,
    /// Since it began, s.
    pub seconds: f64,
    /// Of the stage, s.
    pub left: Option<f64>,
    /// The client that asked.
    pub by: Option<u32>,
    /// Why it failed.
    pub message: Option<String>,
}

/// How a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobState {
    /// At work.
    Running,
    /// What it made is there.
    Done,
    /// See the message.
    Failed,
    /// By a client.
    Cancelled,
}

/// What stands before the sections of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Head {
    /// Whether time stands still.
    pub(crate) paused: bool,
    /// Whether no motion of any body can be seen.
    pub(crate) at_rest: bool,
    /// Whether it is slower than it should be.
    pub(crate) slow: bool,
    /// Frame number; wraps.
    pub(crate) number: u32,
    /// Time of a step of all bodies, mean since the last frame, µs.
    pub(crate) step_us: f64,
    /// Body seconds for each second of the clock.
    pub(crate) pace: f64,
    /// Since the last frame.
    pub(crate) steps: u32,
    /// Steps that began more than 1/60 s late, since the studio was opened.
    pub(crate) late: u32,
}

/// Bytes of a [`Head`].
#[cfg(test)]
pub(crate) const FRAME_HEAD: usize = 24;

/// Bytes before what a section says.
pub(crate) const SECTION_HEAD: usize = 8;

/// A frame that is being written.
pub(crate) struct FrameWriter {
    bytes: Vec<u8>,
    sections: u16,
}

impl FrameWriter {
    pub(crate) fn new(head: &Head) -> Self {
        let mut bytes = Vec::with_capacity(512);
        let flags = u8::from(head.paused) | u8::from(head.at_rest) << 1 | u8::from(head.slow) << 2;
        bytes.extend([2, flags, 0, 0]);
        bytes.extend(head.number.to_le_bytes());
        for number in [head.step_us, head.pace] {
            bytes.extend((number as f32).to_le_bytes());
        }
        bytes.extend(head.steps.to_le_bytes());
        bytes.extend(head.late.to_le_bytes());
        Self { bytes, sections: 0 }
    }

    /// What the family at that place of the table has to say; nothing makes no section.
    pub(crate) fn section(&mut self, family: u16, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        self.bytes.extend(family.to_le_bytes());
        self.bytes.extend([0; 6]);
        write(&mut self.bytes);
        let said = self.bytes.len() - start - SECTION_HEAD;
        if said == 0 {
            return self.bytes.truncate(start);
        }
        // Whatever follows lies where numbers of four bytes may lie.
        let said = said.next_multiple_of(4);
        self.bytes.resize(start + SECTION_HEAD + said, 0);
        // A frame is far smaller than 4 GiB.
        self.bytes[start + 4..start + 8].copy_from_slice(&(said as u32).to_le_bytes());
        self.sections += 1;
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes[2..4].copy_from_slice(&self.sections.to_le_bytes());
        self.bytes
    }
}

/// Numbers of a section, in 32 bits.
pub(crate) fn put_f32(out: &mut Vec<u8>, numbers: impl IntoIterator<Item = f64>) {
    numbers.into_iter().for_each(|x| out.extend((x as f32).to_le_bytes()));
}

/// Whole numbers of a section.
pub(crate) fn put_u32(out: &mut Vec<u8>, numbers: impl IntoIterator<Item = u32>) {
    numbers.into_iter().for_each(|x| out.extend(x.to_le_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
    enum Words {
        Grab { id: u32, target: [f64; 3] },
        Rest {},
    }

    #[test]
    fn a_request_has_a_family_a_word_and_strict_keys() {
        let read = |text: &str| Ask::read(text).map_err(|unread| unread.sentence);
        let ask = read(r#"{"do":"hand.grab","seq":7,"id":3,"target":[0,1.5,-2]}"#).expect("a request");
        assert_eq!((ask.family.as_str(), ask.word.as_str(), ask.seq), ("hand", "grab", Some(7)));
        assert_eq!(ask.read_as(), Ok(Words::Grab { id: 3, target: [0.0, 1.5, -2.0] }));
        assert_eq!(read(r#"{"do":"hand.rest"}"#).and_then(|ask| ask.read_as()), Ok(Words::Rest {}));
        for (text, words) in [
            ("", "docs/protocol.md"),
            ("[]", "no JSON object"),
            (r#"{"do":"grab"}"#, "FAMILY.WORD"),
            (r#"{"do":"hand."}"#, "FAMILY.WORD"),
            (r#"{"do":3}"#, "FAMILY.WORD"),
            (r#"{"do":"hand.grab","seq":-1}"#, "`seq`"),
            (r#"{"do":"hand.grab","seq":4294967296}"#, "`seq`"),
            (r#"{"do":"hand.grab","target":[0,0,1e999],"id":1}"#, "docs/protocol.md"),
            (r#"{"do":"hand.rest","hard":true}"#, "docs/protocol/hand.md"),
            (r#"{"do":"hand.grab","id":-1,"target":[0,0,0]}"#, "docs/protocol/hand.md"),
            (r#"{"do":"hand.grab","id":1,"target":[0,0]}"#, "docs/protocol/hand.md"),
            (r#"{"do":"hand.dance"}"#, "docs/protocol/hand.md"),
        ] {
            let said = read(text).and_then(|ask| ask.read_as::<Words>()).expect_err(text);
            assert!(said.contains(words), "{text}: {said}");
        }
    }

    #[test]
    fn a_frame_lies_where_the_document_says() {
        let head = Head {
            paused: true,
            slow: true,
            number: 258,
            step_us: 12.0,
            pace: 0.5,
            steps: 4,
            late: 1,
            ..Head::default()
        };
        let mut frame = FrameWriter::new(&head);
        frame.section(3, |_| {});
        frame.section(1, |out| put_f32(out, [1.0, -2.0]));
        frame.section(2, |out| out.extend([7]));
        let bytes = frame.finish();
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let f32_at = |at: usize| f32::from_bits(u32_at(at));
        assert_eq!(bytes[..4], [2, 0b101, 2, 0], "who says nothing has no section");
        assert_eq!([4, 16, 20].map(u32_at), [258, 4, 1]);
        assert_eq!([f32_at(8), f32_at(12)], [12.0, 0.5]);
        assert_eq!([24, 28].map(u32_at), [1, 8]);
        assert_eq!([32, 36].map(f32_at), [1.0, -2.0]);
        assert_eq!([40, 44].map(u32_at), [2, 4], "four divides the length of a section");
        assert_eq!(bytes[48..], [7, 0, 0, 0]);
    }
}
