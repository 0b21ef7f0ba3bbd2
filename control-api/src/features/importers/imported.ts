// SPDX-License-Identifier: MIT
import type { Finding } from './findings.ts'

/** What an importer makes of a config. */
export type Imported = {
  /** null: nothing of it is a static server's work. */
  draft: string | null
  findings: Finding[]
}
