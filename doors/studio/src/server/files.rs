//! Everything but the socket: the page, files of the families, uploads.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::multipart::{Multipart, MultipartError, MultipartRejection};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio::time::timeout;

use super::Shared;
use super::limits::{FILES, STALL, UPLOAD};
use crate::hub::{Dropped, Refusal, Upload};
use crate::job::plain_name;
use crate::protocol::PROTOCOL;

/// The page.
#[derive(rust_embed::Embed)]
#[folder = "web/"]
struct Web;

/// A sentence with a status.
pub(crate) fn refuse(status: StatusCode, sentence: &str) -> Response {
    (status, Json(json!({ "error": sentence }))).into_response()
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = match &self {
            Self::Busy(_) => StatusCode::CONFLICT,
            Self::Absent(_) => StatusCode::NOT_FOUND,
            Self::Early(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Bad(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Many(_) => StatusCode::TOO_MANY_REQUESTS,
        };
        refuse(status, self.sentence())
    }
}

/// Everything that is no route.
pub(crate) async fn page(method: Method, uri: Uri) -> Response {
    if !matches!(method, Method::GET | Method::HEAD) {
        return wrong_method(method).await;
    }
    let name = uri.path().trim_start_matches('/');
    let name = if name.is_empty() { "index.html" } else { name };
    match Web::get(name) {
        Some(file) => {
            ([(header::CONTENT_TYPE, media_type(name))], Body::from(file.data.into_owned())).into_response()
        }
        None => refuse(StatusCode::NOT_FOUND, "there is nothing here; the page is at /"),
    }
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json" | "webmanifest") => "application/json",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}

pub(crate) async fn health(State(shared): State<Arc<Shared>>) -> Response {
    let (bodies, clients) = (shared.hub.bodies(), shared.hub.clients());
    let version = env!("CARGO_PKG_VERSION");
    Json(json!({ "protocol": PROTOCOL, "version": version, "bodies": bodies, "clients": clients }))
        .into_response()
}

pub(crate) async fn wrong_method(method: Method) -> Response {
    let sentence = format!("{method} is not what is done here; docs/protocol.md lists what is");
    refuse(StatusCode::METHOD_NOT_ALLOWED, &sentence)
}

/// A path whose bytes are no text.
fn garbled() -> Response {
    refuse(StatusCode::BAD_REQUEST, "the path is not UTF-8; docs/protocol.md lists what there is")
}

/// A file of a family.
pub(crate) async fn of_family(
    State(shared): State<Arc<Shared>>,
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Response {
    let Ok(Path((family, path))) = path else { return garbled() };
    let served = match shared.hub.fetch(family, path).await {
        Ok(served) => served,
        Err(refusal) => return refusal.into_response(),
    };
    // Packing takes long enough to be done elsewhere, should nobody have done it yet.
    let packed = match served.packable.filter(|_| takes_gzip(&headers)) {
        Some(packable) => tokio::task::spawn_blocking(move || packable.packed()).await.ok().flatten(),
        None => None,
    };
    let is_packed = packed.is_some();
    let bytes = Body::from(axum::body::Bytes::from_owner(Whole(packed.unwrap_or(served.bytes))));
    let mut response = ([(header::CONTENT_TYPE, served.media)], bytes).into_response();
    if is_packed {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    if let Some(name) = served.name {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
        let plain: String = name.chars().map(plain).collect();
        if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{plain}\"")) {
            response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
        }
    }
    response
}

/// Whether a client takes gzip: it names it, and not with a weight of nothing.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let said = headers.get(header::ACCEPT_ENCODING).and_then(|v| v.to_str().ok()).unwrap_or_default();
    said.split(',').any(|one| {
        let mut parts = one.split(';').map(str::trim);
        let weight = |part: &str| part.strip_prefix("q=").and_then(|q| q.parse::<f64>().ok());
        parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"))
            && parts.find_map(weight).is_none_or(|q| q > 0.0)
    })
}

/// Bytes that somebody else keeps too.
struct Whole(Arc<Vec<u8>>);

impl AsRef<[u8]> for Whole {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

pub(crate) async fn upload(
    State(shared): State<Arc<Shared>>,
    path: Result<Path<String>, PathRejection>,
    uri: Uri,
    headers: HeaderMap,
    form: Result<Multipart, MultipartRejection>,
) -> Response {
    let Ok(Path(family)) = path else { return garbled() };
    let Ok(mut form) = form else {
        return refuse(StatusCode::BAD_REQUEST, "files come as multipart/form-data, in parts named `file`");
    };
    // Said at once, not after 256 MiB.
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|bytes| bytes > UPLOAD) {
        return too_large();
    }
    // One at a time: an upload lies in memory whole.
    let Ok(_one) = shared.uploads.try_acquire() else {
        return refuse(
            StatusCode::TOO_MANY_REQUESTS,
            "another upload is on its way; try again when it is done",
        );
    };
    let said = |key: &str| -> Option<u32> {
        let mut pairs = uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find_map(|(name, value)| if name == key { value.parse().ok() } else { None })
    };
    let (client, replace, instead) = (said("client"), said("replace"), said("instead"));
    let mut files = Vec::new();
    loop {
        let mut field = match timeout(STALL, form.next_field()).await {
            Ok(Ok(Some(field))) => field,
            Ok(Ok(None)) => break,
            Ok(Err(error)) => return torn(&error),
            Err(_) => return stalled(),
        };
        if files.len() == FILES {
            return refuse(
                StatusCode::PAYLOAD_TOO_LARGE,
                &format!("more than {FILES} files at once; drop fewer"),
            );
        }
        let Some(name) = field.file_name().map(plain_name) else {
            return refuse(
                StatusCode::BAD_REQUEST,
                "a part of the upload has no file name; send files as parts named `file`",
            );
        };
        let mut bytes = Vec::new();
        loop {
            match timeout(STALL, field.chunk()).await {
                Ok(Ok(Some(chunk))) => bytes.extend_from_slice(&chunk),
                Ok(Ok(None)) => break,
                Ok(Err(error)) => return torn(&error),
                Err(_) => return stalled(),
            }
        }
        files.push(Upload { name, bytes });
    }
    if files.is_empty() {
        return refuse(StatusCode::BAD_REQUEST, "the upload has no file; send files as parts named `file`");
    }
    match shared.hub.take(family, Dropped { client, replace, instead, files }).await {
        Ok(job) => (StatusCode::ACCEPTED, Json(json!({ "job": job }))).into_response(),
        Err(refusal) => refusal.into_response(),
    }
}

fn torn(error: &MultipartError) -> Response {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        status => refuse(status, &format!("the upload is not whole: {}", error.body_text())),
    }
}

fn stalled() -> Response {
    refuse(StatusCode::REQUEST_TIMEOUT, "the upload stood still for too long; drop the file again")
}

fn too_large() -> Response {
    let most = UPLOAD >> 20;
    let sentence =
        format!("larger than {most} MiB; use `pliant build` and open its model with `pliant studio`");
    refuse(StatusCode::PAYLOAD_TOO_LARGE, &sentence)
}
