import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { problemText } from "@/canvas/words";
import { useMessageWords } from "@/ui/messageWords";
import type { Problem } from "./parts";

const channels = { email: msg`E-mail`, sms: msg`SMS`, push: msg`Push notification` } as const;

export function useChannelName(): (channel: keyof typeof channels) => string {
  const { t } = useLingui();
  return (channel) => t(channels[channel]);
}

const own = {
  AUDIENCE_EMPTY: msg`Nobody would receive this. Choose a segment or a list.`,
  AUDIENCE_BUILDING: msg`A segment of the audience is still being put together. Wait until it is done, then start.`,
  TIME_PAST: msg`This time has passed. Choose a later one, or send it now.`,
  TIME_INVALID: msg`Choose the day and the time it is sent.`,
  TEST_INVALID: msg`The test is not complete. Say how many try the variants, what decides, and after how long.`,
  TEST_LOCAL: msg`With people held back for a test, all have to get the message at one time. Choose one time for everybody, or hold nobody back.`,
  GOAL_MISSING: msg`Choose what counts as success, or take the goal out.`,
  LIMIT_INVALID: msg`Say how many messages may leave per minute, hour or day.`,
} as const;

/** A problem of a campaign in the reader's language. */
export function useProblemText(): (problem: Problem) => string {
  const { t } = useLingui();
  return (problem) =>
    problem.code in own
      ? t(own[problem.code as keyof typeof own])
      : problemText({ code: problem.code, message: problem.message, params: problem.params ?? {} });
}

/** Why somebody was not sent to. */
export function useReasonWord(): (reason: string) => string {
  return useMessageWords().reasonWord;
}
