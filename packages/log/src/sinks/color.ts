import { isatty } from 'node:tty'
import { oneOf, type OptionKind } from '@fw/options'
import { Chalk } from 'chalk'
import { Level } from '../level.ts'

/** When a console shows colours. `Auto`: on a terminal, unless the environment says otherwise. */
export const ColorMode = { Auto: 'auto', Always: 'always', Never: 'never' } as const

export type ColorMode = (typeof ColorMode)[keyof typeof ColorMode]

/** Accepts color modes. */
export const colorModeKind: OptionKind = oneOf(...Object.values(ColorMode))

/**
 * Whether to colour what goes to a file descriptor. In `Auto` `FORCE_COLOR` comes first (`0` and `false` mean no), as
 * in Node itself, then a non-empty `NO_COLOR`, then `TERM=dumb`, then whether it is a terminal.
 *
 * @see https://no-color.org and https://force-color.org
 */
export function wantsColor(mode: ColorMode, env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (mode !== ColorMode.Auto) return mode === ColorMode.Always
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  if (env.NO_COLOR || env.TERM === 'dumb') return false
  return isTerminal
}

/** As `wantsColor`, for this process. */
export function colorsTo(fd: number, mode: ColorMode): boolean {
  return wantsColor(mode, process.env, isatty(fd))
}

// Whether there are colours is decided above; the sixteen basic ones are in every theme.
const chalk = new Chalk({ level: 1 })

const PAINT = {
  [Level.Trace]: chalk.dim.gray,
  [Level.Debug]: chalk.cyan,
  [Level.Info]: chalk.green,
  [Level.Warn]: chalk.yellow,
  [Level.Error]: chalk.red,
  [Level.Fatal]: chalk.bold.red,
  [Level.Off]: String,
}

/** The name of a level in its colour. */
export function paintLevel(label: string, level: Level): string {
  return PAINT[level](label)
}
