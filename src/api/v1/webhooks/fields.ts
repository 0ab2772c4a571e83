import { z } from 'zod';

/** A callback address: HTTPS, without credentials (they would be stored in the clear), 2,048 characters at most. */
export const callbackUrl = z
  .string()
  .max(2_048)
  .refine((text) => {
    // Blanks and control characters would be dropped by whoever parses it, each in its own way.
    if (!URL.canParse(text) || !/^https:\/\/[\x21-\x7e]+$/i.test(text)) return false;
    const { username, password, hostname } = new URL(text);
    return username === '' && password === '' && hostname !== '';
  }, 'must be an https:// URL in ASCII, without credentials and blanks');

/** The subscriber's secret; kept sealed and never shown again. */
export const authToken = z
  .string()
  .min(1)
  .max(512)
  .refine((value) => !value.includes('\0'), 'must not contain NUL');
