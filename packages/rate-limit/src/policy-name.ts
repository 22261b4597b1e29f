import type { OptionKind } from '@fw/options'

/** The name of a limit. It is part of fields, problem documents and keys, so it has no spaces and is short. */
export const policyName: OptionKind = {
  expected: '1 to 64 visible ASCII characters',
  accepts: (value) => typeof value === 'string' && /^[\x21-\x7e]{1,64}$/.test(value),
  fix: 'Write for example "login".',
}
