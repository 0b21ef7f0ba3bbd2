// SPDX-License-Identifier: MIT
// The first version of the sample farm's config. The port is a place-holder that each node's own
// merge patch replaces, because three nodes share this machine.

export const sampleConfig = (
  siteRoot: string,
) => `// The sample farm: one site, served by every node.
{
  // Each node overrides this with its own port (Node, "Override").
  "listen": [{ "address": "127.0.0.1", "port": 8080 }],

  "sites": [
    {
      "hosts": ["*"],
      "root": ${JSON.stringify(siteRoot)},
      "index": ["index.html"],
      "headers": [
        { "action": "set", "name": "X-Content-Type-Options", "value": "nosniff" },
        { "action": "set", "name": "Cache-Control", "value": "public, max-age=60" }
      ]
    }
  ]
}
`
