# An image with the command and nothing else: no shell. The build context is made by
# goreleaser.
FROM gcr.io/distroless/static-debian12:nonroot
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/formatgauge /usr/local/bin/formatgauge
ENTRYPOINT ["/usr/local/bin/formatgauge"]
