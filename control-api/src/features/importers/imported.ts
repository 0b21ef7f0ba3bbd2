// SPDX-License-Identifier: MIT
import { type Draft, printDraft } from './draft.ts'
import type { Finding } from './findings.ts'
import { type Gain, gainsOf } from './gains.ts'
import { titleOf } from './known.ts'
import type { Language } from './request.ts'

/** What an importer makes of a config. */
export type Imported = {
  /** null: nothing of it is a static server's work. */
  draft: string | null
  gains: Gain[]
  findings: Finding[]
}

type Whose = { language: Language; mainFiles: readonly string[] }

export const importedOf = (
  { language, mainFiles }: Whose,
  draft: Draft | null,
  findings: Finding[],
): Imported => ({
  draft: draft && printDraft(`From ${titleOf(language)}: ${mainFiles.join(', ')}`, draft),
  gains: draft ? gainsOf(language, draft, findings) : [],
  findings,
})
