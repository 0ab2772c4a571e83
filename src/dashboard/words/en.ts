import { common } from './en/common.ts';
import { sessions } from './en/sessions.ts';

/** All that the dashboard says, in English; the other languages say the same. */
export const words = { common, sessions };
