// SPDX-License-Identifier: MIT
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type RolloutAction, rolloutActionMutation } from './api.ts'

export function useAction(action: RolloutAction) {
  const client = useQueryClient()
  return useMutation({
    ...rolloutActionMutation(action),
    onSettled: () => client.invalidateQueries({ queryKey: ['rollouts'] }),
  })
}
