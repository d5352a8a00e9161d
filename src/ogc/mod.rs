//! Ori Global Cloud: packages and applications.
