import { testBadDays } from '#test/support/bad-days.ts';

testBadDays('mosquitto');
