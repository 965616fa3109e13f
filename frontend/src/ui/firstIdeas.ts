import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

/** Sentences a whole funnel can be asked for with. The built-in planner understands each of them, in every language. */
export const firstIdeas = {
  signup: msg`When somebody signs up, welcome them, and after two days tell them what to do first.`,
  cart: msg`When somebody leaves a cart, remind them after one hour, and again after two days if they did not buy.`,
  trial: msg`When somebody starts a trial, help them on day one and day five, and ask them before it ends.`,
  silence: msg`When somebody has not bought for 90 days, win them back with an e-mail.`,
} satisfies Record<string, MessageDescriptor>;
