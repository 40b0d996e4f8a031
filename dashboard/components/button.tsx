// Buttons: one look for each weight of an action.
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps extends Omit<ButtonHTMLAttributes, "icon" | "label"> {
  /** `primary`: the one thing to do. `danger`: something is lost. `quiet`: beside other things. */
  kind?: "primary" | "plain" | "danger" | "quiet";
  icon?: IconName;
  /** The accessible name of a button that shows only an icon. */
  label?: string;
  /** A request is under way: the button keeps its place and takes no second click. */
  isBusy?: boolean;
  children?: ComponentChildren;
}

export function Button({
  kind = "plain",
  icon,
  label,
  isBusy = false,
  children,
  disabled,
  class: more,
  onClick,
  ...rest
}: ButtonProps) {
  const shape = children === undefined ? " button-icon" : "";
  return (
    <button
      type="button"
      {...rest}
      class={`button button-${kind}${shape} ${(more as string | undefined) ?? ""}`}
      aria-label={label}
      title={label}
      aria-busy={isBusy}
      // A button that is switched off loses the focus, so a busy one only says that it is off.
      aria-disabled={isBusy || undefined}
      disabled={disabled}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}
