// The fields of a training run that nobody sets: neither the owner nor the operator nor a setting. Read when a job is created, and
// sent with it. Pure. [hermes] `LOCKED_FIELDS` of tools/rl_training_tool.py: its own tool refuses the same fields and forces the same
// values. The names of models follow the job's base model; there they are Qwen/Qwen3-8B, its only one.
import type { FieldValue } from "../schemas/training.ts";

/** The value is the job's base model. */
const BASE_MODEL = Symbol("base model");

export const LOCKED_FIELDS: Readonly<Record<string, FieldValue | typeof BASE_MODEL>> = {
  "env.tokenizer_name": BASE_MODEL,
  "env.rollout_server_url": "http://localhost:8000",
  "env.use_wandb": true,
  "env.max_token_length": 8_192,
  "env.max_num_workers": 2_048,
  "env.worker_timeout": 3_600,
  "env.total_steps": 2_500,
  "env.steps_per_eval": 25,
  "env.max_batches_offpolicy": 3,
  "env.inference_weight": 1,
  "env.eval_limit_ratio": 0.1,
  "openai.model_name": BASE_MODEL,
  "openai.base_url": "http://localhost:8001/v1",
  "openai.weight": 1,
  "openai.num_requests_for_eval": 256,
  "openai.timeout": 3_600,
  "openai.server_type": "sglang",
  "tinker.lora_rank": 32,
  "tinker.learning_rate": 0.000_04,
  "tinker.max_token_trainer_length": 9_000,
  "tinker.checkpoint_dir": "./temp/",
  "tinker.save_checkpoint_interval": 25,
  slurm: false,
  testing: false,
};

/** The locked fields with their values for a job. */
export function toLockedConfig(baseModel: string): Record<string, FieldValue> {
  return Object.fromEntries(
    Object.entries(LOCKED_FIELDS).map(([name, value]) => [name, value === BASE_MODEL ? baseModel : value]),
  );
}

/**
 * Which of these fields are locked. A service may read a field without its group, under another group, or with dots and underscores in other
 * places, so any words of a name that follow one another decide: `lora_rank`, `trainer.lora.rank` and `tinker_lora_rank` are locked as
 * `tinker.lora_rank` is. So is what is below a locked field.
 */
export function findLocked(names: string[]): string[] {
  return names.filter((name) => {
    const words = name.split(".").map(normalize);
    if (words.length === 1 && GENERIC.has(words[0]!)) return true;
    return words.some((_, from) => words.some((__, to) => LOCKED_RUNS.has(words.slice(from, to + 1).join(""))));
  });
}

const normalize = (word: string): string => word.replaceAll("_", "");

/** [own] Other groups may have a field of this name: `reward.weight`. */
const GENERIC = new Set(["weight", "timeout"]);
/** Each field with its group, and alone. */
const LOCKED_RUNS = new Set(
  Object.keys(LOCKED_FIELDS).flatMap((name) => {
    const words = name.split(".").map(normalize);
    const last = words.at(-1)!;
    return GENERIC.has(last) ? [words.join("")] : [words.join(""), last];
  }),
);
