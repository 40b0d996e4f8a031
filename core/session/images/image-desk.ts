// Prepares the images of a session's conversation for each model call: which are sent, and what a model reads instead of the others. The
// loop calls it. The same conversation gives the same bytes, so that the provider's cache hits. A conversation without images
// costs one look at its messages.
import type { ImageDesk, Message, MessageImage, Model } from "../../agent/contract.ts";
import { countUnshown } from "../../images/choose-shown.ts";
import { unknownImageTokens } from "../../images/image-tokens.ts";
import { renderUnseen, toImageId, withTexts } from "../../images/sentence.ts";
import { estimateTokens } from "../../tokens.ts";
import type { EngineContext } from "../context.ts";
import { findEyes } from "./ask-eyes.ts";
import { type DeskOptions, describeImages } from "./describe-images.ts";

/** Meta key `images_refused`: by model, the images that its provider refused. */
type RefusedImages = Record<string, string[]>;
const REFUSED = "images_refused";
/** The oldest are forgotten first: they would cost one refused call each. */
const MAX_REFUSED = 200;

type UserMessage = Extract<Message, { role: "user" }>;

export function createImageDesk(context: EngineContext, options: DeskOptions): ImageDesk {
  const { log, host, images: rows } = context;

  return {
    async prepare(messages, model, signal) {
      const images = imagesOf(messages);
      if (images.length === 0) return messages;
      if (!model.sees) {
        const recent = images.slice(countUnshown(images, host.settings.images));
        await describeImages(context, options, recent, signal);
      }
      return mapImages(
        messages,
        (image, whyNot) => {
          const description = rows.description(image.sha256)?.text || undefined;
          const known = { ...image, ...(description !== undefined && { description }) };
          const tokens = whyNot === null ? weigh(image, model) : estimateTokens(renderUnseen(known, whyNot));
          const isSame = image.tokens === tokens && image.description === description;
          return isSame ? image : { ...known, tokens };
        },
        (all) => toReasons(context, all, model, false),
      );
    },
    show(request, model, hidden) {
      const images = imagesOf(request.messages);
      if (images.length === 0) return request;
      const whyNot = toReasons(context, images, model, hidden);
      let n = 0;
      const messages = request.messages.map((message) => {
        if (!hasImages(message)) return message;
        const { images: own, ...rest } = message;
        const placed = own.map((image) => ({ image, why: whyNot[n++]! }));
        const seen = placed.filter(({ why }) => why === null).map(({ image }) => image);
        const texts = placed.flatMap(({ image, why }) =>
          why === null ? [] : [renderUnseen(withDescription(image), why)],
        );
        return { ...rest, text: withTexts(rest.text, texts), ...(seen.length > 0 && { images: seen }) };
      });
      return { ...request, messages, readImage: ({ sha256 }) => rows.parts(sha256) };
    },
    noteRefused(request, model) {
      const known = readRefused(context);
      const own = new Set([...(known[model.name] ?? []), ...imagesOf(request.messages).map(toImageId)]);
      log.setMeta(REFUSED, { ...known, [model.name]: [...own].slice(-MAX_REFUSED) });
    },
  };

  function withDescription(image: MessageImage): MessageImage {
    const text = rows.description(image.sha256)?.text;
    return text ? { ...image, description: text } : image;
  }
}

function hasImages(message: Message): message is UserMessage & { images: MessageImage[] } {
  return message.role === "user" && message.images !== undefined && message.images.length > 0;
}

function imagesOf(messages: Message[]): MessageImage[] {
  return messages.flatMap((message) => (hasImages(message) ? message.images : []));
}

/** Messages whose images stay as they are keep their identity: estimates are cached by it. */
function mapImages(
  messages: Message[],
  change: (image: MessageImage, whyNot: string | null) => MessageImage,
  toWhyNot: (images: MessageImage[]) => (string | null)[],
): Message[] {
  const whyNot = toWhyNot(imagesOf(messages));
  let n = 0;
  return messages.map((message) => {
    if (!hasImages(message)) return message;
    const images = message.images.map((image) => change(image, whyNot[n++]!));
    return images.every((image, i) => image === message.images[i]) ? message : { ...message, images };
  });
}

function weigh(image: MessageImage, model: Model): number {
  return (model.imageTokens ?? unknownImageTokens)(image);
}

/** For each image of a conversation why this model is not sent it; `null`: it is sent. */
function toReasons(context: EngineContext, images: MessageImage[], model: Model, hidden: boolean): (string | null)[] {
  const { host, images: rows } = context;
  const eyes = findEyes(host.models);
  const refused = new Set(readRefused(context)[model.name]);
  const unshown = countUnshown(images, host.settings.images);
  const lookAgain = (image: MessageImage) =>
    eyes ? ` vision_analyze with the image "${toImageId(image)}" answers questions about it.` : "";
  return images.map((image, n) => {
    if (!model.sees) {
      const described = rows.description(image.sha256);
      if (described?.text) return `You do not see images.${lookAgain(image)}`;
      if (!eyes) return "You do not see images, and no model that does is configured (TALARIA_MODEL_VISION).";
      const why = described ? "and the model that was to describe it failed" : "and it was not described";
      return `You do not see images, ${why}.${lookAgain(image)}`;
    }
    if (hidden || refused.has(toImageId(image))) return `Your provider refused this image.${lookAgain(image)}`;
    return n < unshown ? `It was sent earlier and is no longer shown.${lookAgain(image)}` : null;
  });
}

function readRefused({ log }: Pick<EngineContext, "log">): RefusedImages {
  return log.meta<RefusedImages>(REFUSED) ?? {};
}
