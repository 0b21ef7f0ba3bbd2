// SPDX-License-Identifier: MIT
// What reads whole config texts, in threads of their own: a megabyte takes up to a second of a core and two
// hundred of memory. Each thread is asked one thing at a time; see text-work.ts.
import type { ConfigError } from '../../api-shapes/common.ts'
import { compileSchemaCheck } from './check/schema-check.ts'
import { judgeSample, sampleOf as sampleOfText } from './check/validate-authors.ts'
import { examineText, loadConfigSchema } from './check/validation.ts'
import { compareTexts, type Sides } from './diff/compare.ts'
import { explainConflict } from './drafts/conflict.ts'
import { type Merge, mergeTexts } from './drafts/merge.ts'
import type { DraftRevision } from './drafts/store.ts'
import { hostsIn } from './text/hosts.ts'
import { sitesIn } from './text/sites.ts'

const schema = loadConfigSchema()
const checkSchema = compileSchemaCheck(schema)

export const examine = ({ text }: { text: string }) => examineText(checkSchema, text)
export const hosts = ({ text }: { text: string }) => hostsIn(text)
export const sites = ({ text }: { text: string }) => sitesIn(text)
export const sampleOf = ({ text }: { text: string }) => sampleOfText(text)
export const judge = ({ text, errors }: { text: string; errors: readonly ConfigError[] }) =>
  judgeSample(text, errors)
export const compare = (sides: Sides) => compareTexts(sides, schema)
export const merge = ({ base, mine, current, labels }: Merge) =>
  mergeTexts(base, mine, current, labels)

type Conflict = { revisions: readonly DraftRevision[]; mine: string | null }
export const explain = ({ revisions, mine }: Conflict) => explainConflict(revisions, mine, schema)
