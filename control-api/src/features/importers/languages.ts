// SPDX-License-Identifier: MIT
import { importApache } from './apache/import.ts'
import { importCaddy } from './caddy/import.ts'
import type { Imported } from './imported.ts'
import { importLighttpd } from './lighttpd/import.ts'
import { importNginx } from './nginx/import.ts'
import type { Source } from './tree.ts'

export const LANGUAGES = ['nginx', 'lighttpd', 'apache', 'caddy'] as const
export type Language = (typeof LANGUAGES)[number]

export const importers: Record<
  Language,
  (mainFiles: readonly string[], source: Source) => Imported
> = {
  nginx: importNginx,
  lighttpd: importLighttpd,
  apache: importApache,
  caddy: importCaddy,
}
