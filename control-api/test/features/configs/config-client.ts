// SPDX-License-Identifier: MIT
// What the tests of configs have in common: a text, and calls as a client makes them.
import { type Built, build, type Client } from '../../helper.ts'

export const TEXT = `{
  // one site
  "sites": [{ "hosts": ["*"], "root": "/srv/www" }],
  "listen": [{ "address": "127.0.0.1", "port": 8080 }]
}
`
export const OTHER = TEXT.replace('8080', '8090')
export const URL = '/api/v1/configs/default'

export const save = (client: Client, payload: object, name = 'default') =>
  client.inject({ method: 'POST', url: `/api/v1/configs/${name}/versions`, payload })
export const saveText = (client: Client, text: string, parent: number | null, message = 'why') =>
  save(client, { text, parent, message })
export const putDraft = (client: Client, text: string, etag?: string) =>
  client.inject({
    method: 'PUT',
    url: `${URL}/draft`,
    payload: { text },
    ...(etag && { headers: { 'if-match': etag } }),
  })
export async function withVersion(): Promise<Built> {
  const service = await build()
  const response = await saveText(service.admin, TEXT, null)
  if (response.statusCode !== 201) throw new Error(response.body)
  return service
}
