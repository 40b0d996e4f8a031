# Loaded by the fuzzer: how a generated body of these types is sent.
import schemathesis


@schemathesis.serializer("application/zip", "application/octet-stream", "text/markdown")
def as_bytes(ctx, value):
    return value if isinstance(value, bytes) else str(value).encode()
