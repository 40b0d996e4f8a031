#!/bin/sh
# Starts workerd for Miniflare (stack-host.ts) with its entry on a Unix socket in $TALARIA_SOCKETS. Miniflare can only ask for
# a TCP port there, and that port answers any user of the machine: it reads R2 and fires triggers without a key.
for argument; do
  shift
  case "$argument" in
    --socket-addr=entry=*) argument="--socket-addr=entry=unix:$TALARIA_SOCKETS/entry" ;;
  esac
  set -- "$@" "$argument"
done
# Of a workerd that crashed, which Miniflare starts again.
rm -f "$TALARIA_SOCKETS/entry" "$TALARIA_SOCKETS/api:0"
exec "$TALARIA_WORKERD" "$@"
