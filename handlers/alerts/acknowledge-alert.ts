import { actOnAlert } from '../dispatch/act-on-alert.ts';

/** *Acknowledge* on an alert: "I have seen it", shown to everybody. */
export const acknowledgeAlert = actOnAlert('acknowledge');
