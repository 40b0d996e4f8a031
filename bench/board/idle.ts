// Whether a board and an agenda without work leave memory: in the product's api Worker in workerd, which removes an object after ten seconds in
// which it has no request, no timer, no call of its own and no socket that does not hibernate. Called by bench:board.
import { CreatedProfile } from "../../core/schemas/api.ts";
import { startStage } from "../support/stage.ts";
import type { ObjectLife } from "../support/subjects/ours.ts";
import { OPERATOR_TOKEN } from "../support/subjects/talaria.ts";

export interface IdleFigures {
  /** How long nobody asked. */
  idleMs: number;
  /** Alarms that fired meanwhile. */
  alarms: number;
  /** Whether the object was built again for the next request. */
  boardLeft: boolean;
  agendaLeft: boolean;
  /** How long from the idle time's end to the alarm that is set; `null`: none is. */
  boardAlarmInMs: number | null;
  agendaAlarmInMs: number | null;
  /** A reader's WebSocket got an answer to its ping meanwhile, and afterwards the next event. */
  ponged: boolean;
  socketLived: boolean;
}

/** workerd's own limit is ten seconds. */
const IDLE_MS = 15_000;
const PING_AFTER_MS = 4_000;
const DAY_MS = 24 * 60 * 60_000;
const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

export async function measureIdle(say: (line: string) => void): Promise<IdleFigures> {
  say("bundling the Workers");
  const stage = await startStage({ peer: false });
  try {
    const url = stage.oursUrl;
    // Not `send`: its connections are kept for longer than the Worker keeps them while nobody asks.
    async function call<T>(method: string, path: string, key: string, body?: object): Promise<T> {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const answer = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 400)}`);
      return JSON.parse(text) as T;
    }
    const { profile, key } = CreatedProfile.parse(await call("POST", "/v1/profiles", OPERATOR_TOKEN));
    const addCard = (more: object) => call("POST", "/v1/boards/main/cards", key, { title: "A card", ...more });
    await addCard({ triage: true });
    await addCard({ notBefore: Date.now() + DAY_MS });
    await call("POST", "/v1/jobs", key, { name: "daily", schedule: "every 1d", prompt: "Say what is new." });
    const lives = () => call<Record<"board" | "agenda", ObjectLife>>("GET", `/bench/lives/${profile}`, key);
    const alarmAt = async (name: "board" | "agenda") =>
      (await call<{ at: number | null }>("GET", `/bench/${name}/${profile}`, key)).at;

    const heard: string[] = [];
    const socket = new WebSocket(`${url.replace(/^http/, "ws")}/bench/live/${profile}`);
    socket.addEventListener("message", ({ data }) => heard.push(String(data)));
    await new Promise((open, fail) => {
      socket.addEventListener("open", open);
      socket.addEventListener("error", fail);
    });

    say(`idle for ${IDLE_MS / 1000} seconds`);
    // The work after the last request.
    await pause(1_000);
    const before = await lives();
    await pause(PING_AFTER_MS);
    socket.send("ping");
    await pause(IDLE_MS - PING_AFTER_MS);
    const ended = Date.now();
    const during = await lives();
    const ponged = heard.includes("pong");
    heard.length = 0;

    const inMs = (at: number | null) => (at === null ? null : at - ended);
    const [boardAlarmInMs, agendaAlarmInMs] = [inMs(await alarmAt("board")), inMs(await alarmAt("agenda"))];
    await addCard({ triage: true });
    for (let tries = 0; tries < 50 && heard.length === 0; tries++) await pause(20);
    const after = await lives();
    socket.close();
    const alarms = (of: typeof before) => of.board.alarms + of.agenda.alarms;
    return {
      ...{ idleMs: IDLE_MS, alarms: alarms(during) - alarms(before) },
      ...{
        boardLeft: after.board.births > before.board.births,
        agendaLeft: after.agenda.births > before.agenda.births,
      },
      ...{ boardAlarmInMs, agendaAlarmInMs, ponged, socketLived: heard.some((data) => data.includes('"created"')) },
    };
  } finally {
    await stage.stop();
  }
}
