// SPDX-License-Identifier: MIT
import type { Role } from '../src/access/roles.ts'
import { type Built, type Client, client, cookieOf, signInAs } from './helper.ts'

export const OWN_PASSWORD = 'a password of their own'

/** Somebody who is signed in, with a password of their own. scope: a selector; null: the whole farm. */
export async function personWith(
  service: Built,
  roles: Role[],
  scope: string | null,
): Promise<Client> {
  const payload = { username: `person-${roles.join('-')}`, roles, scope }
  const made = await service.admin.inject({ method: 'POST', url: '/api/v1/users', payload })
  const { oneTimePassword } = made.json()
  const first = await signInAs(service, payload.username, oneTimePassword)
  const changed = await first.inject({
    method: 'PUT',
    url: '/api/v1/session/password',
    payload: { currentPassword: oneTimePassword, newPassword: OWN_PASSWORD },
  })
  return client(service, cookieOf(changed))
}
