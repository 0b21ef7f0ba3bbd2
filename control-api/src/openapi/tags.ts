// SPDX-License-Identifier: MIT
// What each group of operations is about. The description lists those that are used.

export const tagDescriptions: Record<string, string> = {
  session: 'Signing in and out, and who one is.',
  nodes: 'The machines that serve: what each should run, acknowledged and really runs.',
  'enrolment tokens': 'What makes a machine a node, once per use.',
  groups: 'Nodes that are configured alike, chosen by their labels.',
  configs: 'What nodes are told: drafts that people edit, and versions that never change.',
  releases: 'The files that sites are made of: versions that never change, and their contents.',
  certificates: 'What sites are served with over TLS; keys go in and never come out.',
  sites: 'What configs say for which hosts, and which nodes serve it.',
  'managed certificates': 'Certificates that are ordered and renewed by themselves (ACME).',
  'certificate authorities': 'Whom certificates are ordered from, and with which account.',
  'dns webhooks': 'Programs that set the DNS records by which names are proven.',
  rollouts: 'Bringing a version to the nodes, and what became of it on each.',
  metrics: 'Latencies, rates and sample sizes over time.',
  events: 'What changes, as it changes.',
  users: 'People, their roles and the nodes those count for.',
  tokens: 'What programs sign in with: a person’s API tokens.',
  audit: 'Who did what, when, and from where; nothing of it is ever changed.',
  webhooks: 'Telling other systems, signed and repeated until they have it.',
  alerts: 'Rules of what people are told of, what they found, and what is silenced for a while.',
  backups: 'Copies of the control plane’s database, and their way back.',
  system: 'The control plane itself.',
}
