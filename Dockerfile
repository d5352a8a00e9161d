# planner in an empty image: the static program and nothing else, no shell, no users, no network.
#
#   docker build -t planner .
#   docker run --rm -v "$PWD:/site:ro" planner validate
FROM rust:1.95-bookworm AS build
WORKDIR /planner
COPY . .
ARG PLANNER_COMMIT
ENV RUSTFLAGS="-C target-feature=+crt-static --cfg getrandom_backend=\"linux_getrandom\" --remap-path-prefix=/planner=planner --remap-path-prefix=/usr/local/cargo=cargo"
RUN cargo build --locked --profile dist --target x86_64-unknown-linux-gnu --bin planner \
    && cp target/x86_64-unknown-linux-gnu/dist/planner /usr/local/bin/planner

FROM scratch
COPY --from=build /usr/local/bin/planner /usr/bin/planner
WORKDIR /site
USER 65532:65532
ENTRYPOINT ["/usr/bin/planner"]
CMD ["--help"]
