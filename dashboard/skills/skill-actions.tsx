// What can be done with a skill: edit, pin, archive and restore, hand over, publish, export, delete.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Dialog, confirm } from "../components/dialog.tsx";
import { Icon } from "../components/icon.tsx";
import { toast, toastError } from "../components/toasts.tsx";
import { send } from "../data/api.ts";
import { change, invalidate } from "../data/resource.ts";
import { saveFile } from "../data/save-file.ts";
import { may, signIn } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { PublishToTap } from "./publish-to-tap.tsx";
import type { Detail } from "./words.ts";

export function SkillActions({ skill: { name, head } }: { skill: Detail }) {
  const [busy, setBusy] = useState("");
  const [isMore, setMore] = useState(false);
  const [isOffered, setOffered] = useState(false);
  const params = { name };
  const isArchived = head?.state === "archived";
  const isPinned = head?.pinned === true;
  const run = async (what: string, work: () => Promise<unknown>, done: string): Promise<void> => {
    setBusy(what);
    try {
      await work();
      toast(done);
      setMore(false);
    } catch (error) {
      toastError(error);
    } finally {
      setBusy("");
    }
  };
  const pin = () =>
    run(
      "pin",
      () => change("POST /v1/skills/{name}/pin", { params, body: { pinned: !isPinned } }),
      isPinned ? "Unpinned: reviews may change the skill again." : "Pinned: only you can change the skill.",
    );
  const restore = () =>
    run("restore", () => change("POST /v1/skills/{name}/restore", { params }), "The skill is back.");
  return (
    <>
      {may("write") && !isArchived && (
        <a class="button button-primary" href={hrefOf("skills", name, "edit")}>
          <Icon name="edit" />
          Edit
        </a>
      )}
      {may("write") && isArchived && (
        <Button kind="primary" isBusy={busy === "restore"} onClick={() => void restore()}>
          Restore
        </Button>
      )}
      {may("write") && !isArchived && (
        <Button icon="pin" isBusy={busy === "pin"} onClick={() => void pin()}>
          {isPinned ? "Unpin" : "Pin"}
        </Button>
      )}
      <Button icon="more" onClick={() => setMore(true)}>
        More
      </Button>
      {isMore && (
        <MoreDialog
          {...{ name, head, busy, run }}
          onClose={() => setMore(false)}
          onOffer={() => {
            setMore(false);
            setOffered(true);
          }}
        />
      )}
      {isOffered && <PublishToTap name={name} onClose={() => setOffered(false)} />}
    </>
  );
}

interface MoreProps {
  name: string;
  head: Detail["head"];
  busy: string;
  run(what: string, work: () => Promise<unknown>, done: string): Promise<void>;
  onClose(): void;
  /** Opens the dialog of a pull request in its place. */
  onOffer(): void;
}

function MoreDialog({ name, head, busy, run, onClose, onOffer }: MoreProps) {
  const params = { name };
  const isArchived = head?.state === "archived";
  const isPublic = head?.public === true;
  const isShared = head?.shared === true;
  const save = (format: "zip" | "skill") =>
    run("export", () => exportSkill(name, format), `${name}.${format} was handed to your browser.`);
  const publish = (isWanted: boolean) =>
    run(
      "publish",
      () => change("POST /v1/skills/{name}/publish", { params, body: { public: isWanted } }),
      isWanted ? "The skill is public now." : "The skill is no longer public.",
    );
  return (
    <Dialog title={name} onClose={onClose}>
      <ul class="action-list">
        <li>
          <Button icon="download" isBusy={busy === "export"} onClick={() => void save("zip")}>
            Export
          </Button>
          <span class="muted">All its files, as they are, in a zip.</span>
        </li>
        {may("write") && !isArchived && (
          <li>
            <Button
              icon="archive"
              isBusy={busy === "archive"}
              onClick={() =>
                void run(
                  "archive",
                  () => change("POST /v1/skills/{name}/archive", { params }),
                  "Archived. It can be restored at any time.",
                )
              }
            >
              Archive
            </Button>
            <span class="muted">Hides it from the agent. It can be restored at any time.</span>
          </li>
        )}
        {may("write") && !isArchived && head?.origin === "user" && (
          <li>
            <Button
              icon="spark"
              isBusy={busy === "adopt"}
              onClick={() =>
                void run(
                  "adopt",
                  () => change("POST /v1/skills/{name}/adopt", { params }),
                  "Reviews may change the skill now.",
                )
              }
            >
              Hand to the agent
            </Button>
            <span class="muted">Reviews may then change it, and it ages like a learned skill.</span>
          </li>
        )}
        {may("admin") && !isArchived && (
          <li>
            <Button
              icon="link"
              isBusy={busy === "publish"}
              onClick={() => (isPublic ? void publish(false) : askToPublish(name, onClose))}
            >
              {isPublic ? "Withdraw from the public" : "Publish"}
            </Button>
            <span class="muted">
              {isPublic ? <PublicAddress name={name} /> : "Anyone can then read it, without a key."}
            </span>
          </li>
        )}
        {may("admin") && !isArchived && !isPublic && (
          <li>
            <Button
              icon="person"
              isBusy={busy === "share"}
              onClick={() => (isShared ? askToUnshare(name, onClose) : askToShare(name, onClose))}
            >
              {isShared ? "Share no more" : "Share"}
            </Button>
            <span class="muted">
              {isShared
                ? "Profiles that follow you read it."
                : "Profiles that follow you can then read and install it."}
            </span>
          </li>
        )}
        {may("admin") && !isArchived && (
          <li>
            <Button icon="branch" onClick={onOffer}>
              Publish to a tap
            </Button>
            <span class="muted">Opens a pull request on GitHub with its files.</span>
          </li>
        )}
        {may("write") && head && (
          <li>
            <Button icon="trash" onClick={() => askToDelete(name, onClose)}>
              Delete
            </Button>
            <span class="muted">Erases every revision and all evidence.</span>
          </li>
        )}
      </ul>
    </Dialog>
  );
}

function PublicAddress({ name }: { name: string }) {
  const { value } = signIn;
  const path = value.state === "in" ? `/p/${value.profile}/.well-known/agent-skills/${name}/SKILL.md` : "";
  return (
    <>
      Anyone can read it at{" "}
      <a href={path} target="_blank" rel="noopener">
        its public address
      </a>
      .
    </>
  );
}

function askToPublish(name: string, onClose: () => void): void {
  onClose();
  confirm({
    title: `Publish ${name}?`,
    text: (
      <p>
        Anyone can then read all its files, always the newest version. Look for names, addresses and keys in them first.
      </p>
    ),
    action: "Publish",
    async run() {
      await change("POST /v1/skills/{name}/publish", { params: { name }, body: { public: true } });
      toast("The skill is public now.");
    },
  });
}

function askToShare(name: string, onClose: () => void): void {
  onClose();
  confirm({
    title: `Share ${name}?`,
    text: (
      <p>
        Profiles that follow you can read all its files, always the newest version, and install copies. Look for names,
        addresses and keys in them first.
      </p>
    ),
    action: "Share",
    async run() {
      await change("POST /v1/skills/{name}/publish", { params: { name }, body: { shared: true } });
      toast("Your followers can read the skill now.");
    },
  });
}

function askToUnshare(name: string, onClose: () => void): void {
  onClose();
  confirm({
    title: `Share ${name} no more?`,
    text: <p>Your followers' copies of its text are archived.</p>,
    action: "Share no more",
    isDanger: true,
    async run() {
      await change("POST /v1/skills/{name}/publish", { params: { name }, body: { shared: false } });
      toast("The skill is no longer shared.");
    },
  });
}

function askToDelete(name: string, onClose: () => void): void {
  onClose();
  confirm({
    title: `Delete ${name}?`,
    text: (
      <p>
        Every revision, its evidence, and copies of its text in reviews and pending changes are erased. The agent cannot
        create a skill of this name again. This cannot be undone. To only hide it, archive it.
      </p>
    ),
    action: "Delete",
    isDanger: true,
    async run() {
      // 202: the rest is erased within minutes. Neither answer has a body.
      await send("DELETE /v1/skills/{name}", { params: { name } });
      location.hash = hrefOf("skills");
      toast(`${name} was deleted.`);
      await invalidate("/v1/skills");
    },
  });
}

async function exportSkill(name: string, format: "zip" | "skill"): Promise<void> {
  const response = await send("GET /v1/skills/{name}/export", { params: { name }, query: { format } });
  saveFile(`${name}.${format}`, "application/zip", await response.blob());
}
