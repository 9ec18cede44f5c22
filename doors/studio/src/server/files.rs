//! Everything but the socket: the page, shapes, uploads, saves.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::multipart::{Multipart, MultipartError};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio::time::timeout;

use super::Shared;
use super::limits::{FILES, STALL, UPLOAD};
use crate::hub::{Refusal, Saving, Upload};
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
        };
        refuse(status, self.sentence())
    }
}

pub(crate) async fn page(uri: Uri) -> Response {
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
    let (body, clients) = (shared.hub.body(), shared.hub.clients());
    Json(json!({ "protocol": PROTOCOL, "version": env!("CARGO_PKG_VERSION"), "body": body, "clients": clients }))
        .into_response()
}

pub(crate) async fn shape(State(shared): State<Arc<Shared>>, Path(body): Path<u32>) -> Response {
    tensors(
        shared.hub.shapes(body).map(|shapes| shapes.shape),
        "this body was replaced; a `body` event names the new one",
    )
}

pub(crate) async fn inside(State(shared): State<Arc<Shared>>, Path(body): Path<u32>) -> Response {
    tensors(
        shared.hub.shapes(body).and_then(|shapes| shapes.inside),
        "this body was replaced, or is a surface: there is no inside",
    )
}

pub(crate) async fn preview(State(shared): State<Arc<Shared>>, Path(job): Path<u32>) -> Response {
    tensors(shared.hub.preview(job), "this job has ended or has nothing to show yet")
}

fn tensors(bytes: Option<Arc<Vec<u8>>>, absent: &str) -> Response {
    match bytes {
        // Shared, not copied: many pages may load the same shape at once.
        Some(bytes) => {
            let bytes = axum::body::Bytes::from_owner(Whole(bytes));
            ([(header::CONTENT_TYPE, "application/octet-stream")], Body::from(bytes)).into_response()
        }
        None => refuse(StatusCode::NOT_FOUND, absent),
    }
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
    uri: Uri,
    headers: HeaderMap,
    mut form: Multipart,
) -> Response {
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
    let client =
        uri.query().and_then(|q| q.split('&').find_map(|pair| pair.strip_prefix("client=")?.parse().ok()));
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
    match shared.hub.upload(client, files).await {
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

pub(crate) async fn save(State(shared): State<Arc<Shared>>, Path(name): Path<String>) -> Response {
    let (what, media) = match name.as_str() {
        "model.pliant" => (Saving::Model, "application/octet-stream"),
        "motion.glb" => (Saving::Motion, "model/gltf-binary"),
        "scenario.toml" => (Saving::Scenario, "application/toml"),
        "state.npz" => (Saving::State, "application/octet-stream"),
        _ => {
            return refuse(
                StatusCode::NOT_FOUND,
                "there is model.pliant, motion.glb, scenario.toml and state.npz",
            );
        }
    };
    let Ok(_one) = shared.saves.try_acquire() else {
        return refuse(StatusCode::TOO_MANY_REQUESTS, "other files are being saved; try again in a moment");
    };
    match shared.hub.save(what).await {
        Ok(saved) => {
            let plain: String = saved
                .name
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' })
                .collect();
            let disposition = format!("attachment; filename=\"{plain}\"");
            let headers =
                [(header::CONTENT_TYPE, media.to_owned()), (header::CONTENT_DISPOSITION, disposition)];
            (headers, Body::from(saved.bytes)).into_response()
        }
        Err(refusal) => refusal.into_response(),
    }
}
