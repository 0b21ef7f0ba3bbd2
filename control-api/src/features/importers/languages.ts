// SPDX-License-Identifier: MIT
import { importApache } from './apache/import.ts'
import { importCaddy } from './caddy/import.ts'
import type { Imported } from './imported.ts'
import { importLighttpd } from './lighttpd/import.ts'
import { importNginx } from './nginx/import.ts'
import type { Language } from './request.ts'
import type { Source } from './tree.ts'

export const importers: Record<
  Language,
  (mainFiles: readonly string[], source: Source) => Imported
> = {
  nginx: importNginx,
  lighttpd: importLighttpd,
  apache: importApache,
  caddy: importCaddy,
}
