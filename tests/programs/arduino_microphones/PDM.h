/* Arduino's library PDM, for tests: the samples of a microphone are the readings of pin A0. They arrive when interrupts
   are enabled, 256 at a time. */
#ifndef TEST_PDM_H
#define TEST_PDM_H

#include <Arduino.h>

class PDMClass {
public:
    void onReceive(void (*function)(void)) { received = function; }
    int begin(int channels, int rate) { return channels == 1 && rate == 16000; }
    int available() { return 512; }

    int read(void *to, size_t bytes)
    {
        for (size_t i = 0; i < bytes / 2; i++)
            static_cast<int16_t *>(to)[i] = (int16_t)analogRead(A0);
        return (int)bytes;
    }

    void (*received)(void) = nullptr;
};
static PDMClass PDM;

static inline void noInterrupts() {}
static inline void interrupts() { PDM.received(); }

#endif
