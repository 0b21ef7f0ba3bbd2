// SPDX-License-Identifier: MIT
// As whom this tab speaks. Tabs share one cookie: when somebody else signs in in another one, what is under way
// here must not go out under their name. The control plane refuses it (401), and the tab begins anew.
let speaker: string | null = null

export const speakingAs = (): string | null => speaker

/** null: nobody. True: somebody else spoke here before, and never signed out here. */
export function speakAs(userId: string | null): boolean {
  const isAnother = speaker !== null && userId !== null && speaker !== userId
  speaker = userId
  return isAnother
}
