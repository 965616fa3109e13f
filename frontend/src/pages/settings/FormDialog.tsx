import { useLingui } from "@lingui/react/macro";
import { Button, Modal } from "@mantine/core";
import type { FormEventHandler, ReactNode } from "react";
import classes from "./settings.module.css";

interface FormDialogProps {
  title: string;
  onClose: () => void;
  onSubmit: FormEventHandler<HTMLFormElement>;
  submitting: boolean;
  /** What the button does, such as "Save the sender". */
  submit: string;
  /** What was refused and belongs to no field. */
  refusal: ReactNode;
  children: ReactNode;
}

/** A dialog that is a form with one button. */
export function FormDialog({ title, onClose, onSubmit, submitting, submit, refusal, children }: FormDialogProps) {
  const { t } = useLingui();
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": t`Close` }}>
      <form className={classes.form} onSubmit={onSubmit}>
        {children}
        {refusal && (
          <p className={classes.refusal} role="alert">
            {refusal}
          </p>
        )}
        <div className={classes.buttons}>
          <Button type="submit" variant="filled" loading={submitting}>
            {submit}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
