// SPDX-License-Identifier: MIT
// A certificate of the control plane's own, shown by its own listener: the newest version, as soon as it is there. One that
// has ended is shown nevertheless: the console is where it is renewed.
import { SecretNotReadable } from '../base/secret-box.ts'
import type { ServerCertificates } from '../certificates/server-certificate.ts'
import { ConfigRefused } from '../environment/config.ts'
import type { StoredCertificate } from '../environment/tls.ts'
import type { Source } from './source.ts'

const VARIABLE = 'FARMSTEAD_TLS_CERTIFICATE'

export function storedCertificate(
  { name }: StoredCertificate,
  { serverCertificate, latestNumber }: ServerCertificates,
): Source {
  return {
    stamp: async () => String((await latestNumber(name)) ?? 'none'),
    read: async () => {
      const found = await serverCertificate(name).catch((error: unknown) => {
        if (!(error instanceof SecretNotReadable)) throw error
        throw new ConfigRefused([
          `${VARIABLE} names "${name}", whose key cannot be opened with secrets.key of the data folder: start without ${VARIABLE}, and upload it anew`,
        ])
      })
      if (found) return found
      throw new ConfigRefused([
        `${VARIABLE} names "${name}", and there is no such certificate: start without ${VARIABLE}, upload it under this name (the console's page Certificates, or "farmctl certificates upload"), then set it`,
      ])
    },
    place: `certificate "${name}"`,
  }
}
