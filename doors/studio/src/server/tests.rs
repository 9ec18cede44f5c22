//! The server with raw sockets, as anybody could use it. (The page is tested in a browser, tests/page.)
