// Sends the lines of a pipe one at a time: each waits for the answer to the line before. Used by converse.ts. Pure.

export interface PipedOrders<Order> {
  add(order: Order): void;
  /** Lines that still wait are not sent. */
  close(): void;
}

/** `send` resolves with the turn of a message, else with `null`. It must not reject. */
export function createPipedOrders<Order>(
  send: (order: Order) => Promise<number | null>,
  waitForEnd: (turn: number) => Promise<unknown>,
): PipedOrders<Order> {
  const waiting: Order[] = [];
  let isAnswering = false;
  let isClosed = false;

  function advance(): void {
    const next = isAnswering || isClosed ? undefined : waiting.shift();
    if (!next) return;
    isAnswering = true;
    void send(next).then(async (turn) => {
      if (turn !== null) await waitForEnd(turn);
      isAnswering = false;
      advance();
    });
  }

  return {
    add(order) {
      waiting.push(order);
      advance();
    },
    close() {
      isClosed = true;
    },
  };
}
