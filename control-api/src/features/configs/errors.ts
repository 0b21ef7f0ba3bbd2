// SPDX-License-Identifier: MIT
import { defineError } from '../../api-shapes/errors.ts'

export const ConfigNotFound = defineError(
  404,
  'config_not_found',
  'No such config',
  (name: string) => `There is no config "${name}". GET /api/v1/configs lists them.`,
)
export const ParentNotLatest = defineError(
  409,
  'parent_not_latest',
  'Somebody saved a version meanwhile',
  (name: string, latest: number | null, parent: number | null) =>
    latest === null
      ? `"${name}" has no version yet, so the first one's parent is null, not ${parent}.`
      : `The latest version of "${name}" is ${latest}, not ${parent ?? 'none'}. Compare your text with version ${latest}, then save again with parent ${latest}.`,
)
export const DraftChanged = defineError(
  412,
  'precondition_failed',
  'The draft changed meanwhile',
  (who: string) =>
    `${who} changed this draft after you read it. "current" holds what it is now, "changes" what changed meanwhile and "merged" your text with it: choose one, then save it with "etag" in If-Match.`,
)
export const DraftNotDiscarded = defineError(
  412,
  'precondition_failed',
  'The draft changed meanwhile',
  (who: string) =>
    `${who} changed this draft after you read it. "current" holds what it is now: look at it, then discard it with "etag" in If-Match.`,
)
export const ConfigInUse = defineError(
  409,
  'config_in_use',
  'The config is in use',
  (name: string, { history, named }: { history: readonly string[]; named: readonly string[] }) =>
    `"${name}" cannot be removed: ${[...named, ...history].join('; ')}. ${
      history.length > 0
        ? "Its versions are part of the farm's history and are kept for ever."
        : 'Let it name another config, then remove this one.'
    }`,
)
export const ConfigInvalid = defineError(
  422,
  'config_invalid',
  'The config has errors',
  (count: number) =>
    `The config has ${count === 1 ? 'an error' : `${count} errors`}; nothing was saved. Each entry of "errors" says where and what.`,
)
