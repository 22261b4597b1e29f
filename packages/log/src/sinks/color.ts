import { isatty } from 'node:tty'
import { oneOf, type OptionKind } from '@fw/options'
import { Chalk } from 'chalk'
import { Level } from '../level.ts'

/** When a console uses colors. `Auto`: on a terminal, unless environment variables decide otherwise. */
export const ColorMode = {
  /** Writes colors on a terminal, unless environment variables decide otherwise. */
  Auto: 'auto',
  /** Writes colors to terminals, files and pipes. */
  Always: 'always',
  /** Writes no colors. */
  Never: 'never',
} as const

/** When a console uses colors. `Auto`: on a terminal, unless environment variables decide otherwise. */
export type ColorMode = (typeof ColorMode)[keyof typeof ColorMode]

/** Accepts color modes. */
export const colorModeKind: OptionKind = oneOf(...Object.values(ColorMode))

/**
 * Reports whether to write colors. `Auto` follows `FORCE_COLOR` if it is set: `0` and `false` disable colors, as in Node.js.
 * Otherwise, a non-empty `NO_COLOR` or `TERM=dumb` disables them, and a terminal enables them.
 *
 * @see https://no-color.org and https://force-color.org
 */
export function wantsColor(mode: ColorMode, env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (mode !== ColorMode.Auto) return mode === ColorMode.Always
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  if (env.NO_COLOR || env.TERM === 'dumb') return false
  return isTerminal
}

/** Reports whether this process writes colors to a file descriptor. See `wantsColor`. */
export function colorsTo(fd: number, mode: ColorMode): boolean {
  return wantsColor(mode, process.env, isatty(fd))
}

// Level 1: the 16 basic colors, which every terminal theme defines. `wantsColor` has already decided to use colors.
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

/** Returns a label in the color of a level. */
export function paintLevel(label: string, level: Level): string {
  return PAINT[level](label)
}
